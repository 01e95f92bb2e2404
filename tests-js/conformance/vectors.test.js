/** The conformance vectors of the browser helper on the Node face. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gapIds, KINDS, loadVectors } from './harness/data.js';
import { loadPackage } from './harness/execute.js';
import { complaints, failuresOf } from './harness/judge.js';

const pack = await loadPackage('swingbridge');
const gaps = gapIds('node');

for (const kind of KINDS) {
  test(`${kind} vectors`, async () => {
    const failures = await failuresOf(kind, pack);
    assert.equal(complaints(kind, failures, gaps).join('\n'), '');
  });
}

test('every known gap names a vector', () => {
  const ids = new Set([...KINDS, 'computer', 'runner'].flatMap(loadVectors).map(({ id }) => id));
  assert.deepEqual(
    [...gaps].filter((id) => !ids.has(id)),
    [],
  );
});
