/** The conformance vectors of the computer helper on the Node face. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadComputerPackage, runComputerVector } from './harness/computer.js';
import { gapIds, loadVectors } from './harness/data.js';
import { complaints, failuresAmong } from './harness/judge.js';

const pack = await loadComputerPackage('swingbridge/helpers/computer');

test('computer vectors', async () => {
  const vectors = loadVectors('computer');
  assert.ok(vectors.length > 300);
  const failures = await failuresAmong(vectors, (vector) => runComputerVector(vector, pack));
  assert.equal(complaints('computer', failures, gapIds('node')).join('\n'), '');
});
