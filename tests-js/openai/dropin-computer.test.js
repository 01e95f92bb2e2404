/** One program for a computer with the published package and with this one: it sees the same (P-2). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computerProgram } from '../dropin/computer-program.js';

const seenWith = (name) =>
  computerProgram(`${name}/helpers/computer`, `${name}/helpers/responses-tool-runner`);

/** Without the one difference that is meant: a refusal is no failure of the policy. */
const withoutKnownDifferences = (seen) =>
  seen.map((entry) => entry.map((part) => (part === 'policy_failed' ? 'refused' : part)));

test('a program moves over by changing its import', async () => {
  const theirs = await seenWith('openai');
  const ours = await seenWith('swingbridge');
  assert.ok(theirs.length > 150, `${theirs.length} entries`);
  assert.deepEqual(ours, withoutKnownDifferences(theirs));
});
