/** One program for a computer with the published package and with this one: it sees the same (P-2). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computerProgram } from '../dropin/computer-program.js';

const seenWith = (name) =>
  computerProgram(`${name}/helpers/computer`, `${name}/helpers/responses-tool-runner`);

/**
 * With the differences that are meant: a refusal is no failure of the policy, a run says that nothing was to
 * be acknowledged, and its own computer is declared before the tools of the service.
 */
const withKnownDifferences = (seen) =>
  seen.map(([what, ...rest]) => {
    const parts = rest.map((part) => (part === 'policy_failed' ? 'refused' : part));
    return [what, ...(what === 'request' ? [requestOfOurs(parts[0]), ...parts.slice(1)] : parts)];
  });

const requestOfOurs = ({ input, tools, ...body }) => ({
  ...body,
  input: input.map((item) =>
    item.type === 'computer_call_output' ? { acknowledged_safety_checks: [], ...item } : item,
  ),
  tools: ['function', 'computer', 'web_search'].flatMap((kind) =>
    tools.filter(({ type }) => type === kind),
  ),
});

test('a program moves over by changing its import', async () => {
  const theirs = await seenWith('openai');
  const ours = await seenWith('swingbridge');
  assert.ok(theirs.length > 150, `${theirs.length} entries`);
  assert.deepEqual(ours, withKnownDifferences(theirs));
});
