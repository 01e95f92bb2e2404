/** One program with the published package and with this one: it sees the same (P-2). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { program } from '../dropin/program.js';

const HELPERS = ['browser', 'responses-tool-runner'];
const seenWith = (name) => program(...HELPERS.map((helper) => `${name}/helpers/${helper}`));

/**
 * Without the differences that are meant: a refusal is no failure of the policy, and a call that is
 * skipped in a run had no invalid arguments.
 */
function withoutKnownDifferences(seen) {
  const firstRequest = seen.findIndex(([what]) => what === 'request');
  return seen
    .filter(
      ([what, , stage], index) =>
        !(what === 'diagnostic' && stage === 'arguments' && index > firstRequest),
    )
    .map((entry) => entry.map((part) => (part === 'policy_failed' ? 'refused' : part)));
}

test('a program moves over by changing its import', async () => {
  const theirs = await seenWith('openai');
  const ours = await seenWith('swingbridge');
  assert.ok(theirs.length > 60);
  assert.deepEqual(ours, withoutKnownDifferences(theirs));
});
