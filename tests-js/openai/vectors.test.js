/** The harness, held against the package that was measured: it must give the very records. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KINDS, loadVectors } from '../conformance/harness/data.js';
import { difference } from '../conformance/harness/compare.js';
import { loadPackage, runVector } from '../conformance/harness/execute.js';
import { complaints, failuresOf } from '../conformance/harness/judge.js';

const pack = await loadPackage('openai');

/** Here the package does what the URL parser of the running Node does, and versions of Node differ. */
const OF_THE_HOST = /^state\/url\/(legacy|v1)\/(idn_rtl_mix|puny_ascii|puny_bad)$/;

for (const kind of KINDS) {
  test(`the measured ${kind} records`, async () => {
    const all = await failuresOf(kind, pack, 'node');
    const failures = [...all].filter(([id]) => !OF_THE_HOST.test(id));
    assert.equal(failures.map(([id, text]) => `${id}\n  ${text}`).join('\n'), '');
  });
}

test('a false record is reported', async () => {
  const [vector] = loadVectors('arguments');
  const record = await runVector(vector, pack);
  assert.equal(difference(vector.python, record), undefined);
  assert.notEqual(difference({ ...vector.python, trace: [] }, record), undefined);
  assert.notEqual(difference({ ...vector.python, extra: null }, record), undefined);
});

test('a gap that passes is reported', () => {
  const [{ id }] = loadVectors('arguments');
  assert.deepEqual(complaints('arguments', new Map(), new Set([id])), [
    `${id}: passes; take it out of known_gaps.json`,
  ]);
  assert.deepEqual(complaints('arguments', new Map([[id, 'why']]), new Set([id])), []);
});
