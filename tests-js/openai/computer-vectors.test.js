/** The harness for computer calls, held against the package that was measured. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { difference } from '../conformance/harness/compare.js';
import { loadComputerPackage, runComputerVector } from '../conformance/harness/computer.js';
import { loadVectors } from '../conformance/harness/data.js';
import { failuresAmong } from '../conformance/harness/judge.js';

const pack = await loadComputerPackage('openai/helpers/computer');
const vectors = loadVectors('computer');
const failuresOf = (of) => failuresAmong(vectors, (vector) => runComputerVector(vector, pack), of);

test('the measured computer records', async () => {
  const failures = await failuresOf('node');
  assert.equal([...failures].map(([id, text]) => `${id}\n  ${text}`).join('\n'), '');
});

test('it fails exactly where only the other package counts', async () => {
  const failures = await failuresOf('recommend');
  const expected = vectors.filter(({ agree, recommend }) => !agree && recommend === 'python');
  assert.deepEqual(
    [...failures.keys()],
    expected.map(({ id }) => id),
  );
});

test('a false record is reported', async () => {
  const vector = vectors.find(({ agree, node }) => agree && node === 'same');
  const record = await runComputerVector(vector, pack);
  assert.equal(difference(vector.python, record), undefined);
  assert.notEqual(difference({ ...vector.python, ok: !vector.python.ok }, record), undefined);
  assert.notEqual(difference({ ...vector.python, trace: ['driver:fly'] }, record), undefined);
  assert.notEqual(difference({ ...vector.python, extra: null }, record), undefined);
});
