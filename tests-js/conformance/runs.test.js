/** The vectors for whole runs on the Node face, as far as this version runs them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gapIds, loadVectors } from './harness/data.js';
import { loadPackage } from './harness/execute.js';
import { complaints, failuresAmong } from './harness/judge.js';
import { needs, runRun } from './harness/run.js';

const pack = await loadPackage('swingbridge');
const vectors = loadVectors('runner');

/** Scenarios that this version answers otherwise on purpose, as in `core/tests/runner_vectors.rs`. */
const OTHERWISE = [
  // allowed_callers that is no list is refused at construction, not at the first call.
  'runner/allowed_callers/direct/absent~2',
  // Attributes have names of the caller's own, so no host hands over their values.
  'runner/server/fs/attributes_nested',
];

test('runs without a ledger, a budget, a stream or MCP', async () => {
  const within = vectors.filter((vector) => needs(vector) === undefined);
  assert.equal(within.length, 269);
  const failures = await failuresAmong(within, (vector) => runRun(vector, pack));
  const gaps = new Set([...OTHERWISE, ...gapIds('node')]);
  assert.equal(complaints('runner', failures, gaps).join('\n'), '');
});
