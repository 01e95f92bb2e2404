/** The vectors for whole runs on the Node face, with the least that is a client. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gapIds, loadVectors } from './harness/data.js';
import { loadPackage } from './harness/execute.js';
import { complaints, failuresAmong } from './harness/judge.js';
import { actsAtTurns, runRun } from './harness/run.js';
import { withoutTurns } from './harness/run-records.js';
import { plainClient } from './harness/service.js';

const pack = await loadPackage('swingbridge');
const vectors = loadVectors('runner');
const play = (method) => (vector) => runRun(vector, pack, { clientOf: plainClient, method });

test('runs, turn by turn', async () => {
  assert.equal(vectors.length, 673);
  const failures = await failuresAmong(vectors, play('iterate'));
  assert.equal(complaints('runner', failures, gapIds('node')).join('\n'), '');
});

test('runs as one call', async () => {
  const within = vectors.filter((vector) => !actsAtTurns(vector));
  assert.equal(within.length, 644);
  const failures = await failuresAmong(within, play('run'), 'recommend', withoutTurns);
  assert.equal(complaints('runner', failures, gapIds('node')).join('\n'), '');
});
