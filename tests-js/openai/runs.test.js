/** Whole runs with the npm client: the harness held against the measured package, then this package. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import { difference } from '../conformance/harness/compare.js';
import { acceptedRecords, gapIds, loadVectors } from '../conformance/harness/data.js';
import { loadPackage } from '../conformance/harness/execute.js';
import { complaints, failuresAmong } from '../conformance/harness/judge.js';
import { actsAtTurns, runRun } from '../conformance/harness/run.js';
import { withoutTurns } from '../conformance/harness/run-records.js';
import { npmClient } from '../conformance/harness/service.js';

const oracle = await loadPackage('openai');
const pack = await loadPackage('swingbridge');
const vectors = loadVectors('runner');
const playWith =
  (helpers, method = 'iterate') =>
  (vector) =>
    runRun(vector, helpers, { clientOf: npmClient(OpenAI), method });

/** The records of these were changed when they were imported: no package saves exactly that. */
function withoutFinalPending(record, { recommend }) {
  if (recommend !== 'host' || !record.saves) return record;
  const saves = record.saves.map((save) =>
    save.phase === 'final' ? { ...save, pending_types: [] } : save,
  );
  return { ...record, saves };
}

test('the measured records of runs, turn by turn', async () => {
  const failures = await failuresAmong(vectors, playWith(oracle), 'node', withoutFinalPending);
  assert.equal(complaints('runner', failures, new Set()).join('\n'), '');
});

test('the measured records of runs as one call', async () => {
  const within = vectors.filter((vector) => !actsAtTurns(vector));
  assert.equal(within.length, 644);
  const view = (record, vector) => withoutTurns(withoutFinalPending(record, vector));
  const failures = await failuresAmong(within, playWith(oracle, 'run'), 'node', view);
  assert.equal(complaints('runner', failures, new Set()).join('\n'), '');
});

test('it fails exactly where the other package has a say', async () => {
  const failures = await failuresAmong(vectors, playWith(oracle), 'recommend', withoutFinalPending);
  const isForeign = ({ agree, recommend }) => !agree && ['python', 'mixed'].includes(recommend);
  assert.deepEqual(
    [...failures.keys()],
    vectors.filter(isForeign).map(({ id }) => id),
  );
});

test('a false record is reported', async () => {
  const vector = vectors.find(({ id }) => id === 'runner/supply/ledger');
  const [expected] = acceptedRecords(vector, 'node');
  const record = await playWith(oracle)(vector);
  assert.equal(difference(expected, record), undefined);
  const part = (name, change) => ({ ...expected, [name]: change(expected[name]) });
  const falseRecords = [
    part('ok', (ok) => !ok),
    part('trace', (trace) => trace.slice(1)),
    part('turns', ([first, ...rest]) => [{ ...first, supply: ['refused'] }, ...rest]),
    part('requests', (requests) => requests.slice(1)),
    part('saves', ([first, ...rest]) => [{ ...first, revision: 7 }, ...rest]),
    part('extra', () => null),
  ];
  for (const other of falseRecords) assert.notEqual(difference(other, record), undefined);
});

test('runs of this package with the same client', async () => {
  const failures = await failuresAmong(vectors, playWith(pack));
  assert.equal(complaints('runner', failures, gapIds('node')).join('\n'), '');
});
