/** The output item, with and without status (B-47, R-4). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BrowserError, ContractError } from 'swingbridge';
import { callOf, IMAGE, payloadOf, TAB, toolsetOf } from '../support.js';

const STATE = { tabs: [{ ...TAB, url: 'https://example.com' }] };

test('an action gives one text: ok, state, result', async () => {
  const output = await toolsetOf({ click: () => 'done' }).execute(callOf('click'));
  assert.deepEqual(output, {
    type: 'function_call_output',
    call_id: 'call_1',
    output: [
      { type: 'input_text', text: JSON.stringify({ ok: true, state: STATE, result: 'done' }) },
    ],
  });
});

test('a screenshot gives the text and the image', async () => {
  const image = { ...IMAGE, file_id: null, detail: 'high' };
  const output = await toolsetOf({ screenshot: () => image }).execute(callOf('screenshot'));
  assert.deepEqual(payloadOf(output), { ok: true, state: STATE });
  assert.deepEqual(output.output.slice(1), [image]);
});

test('executeWithStatus says whether the call succeeded', async () => {
  let outcome = () => undefined;
  const toolset = toolsetOf(
    { click: () => outcome(), upload_file: () => outcome() },
    { additionalMembers: ['upload_file'] },
  );
  assert.equal((await toolset.executeWithStatus(callOf('click'))).ok, true);
  outcome = () => {
    throw new BrowserError('no');
  };
  const failed = await toolset.executeWithStatus(callOf('click'));
  assert.deepEqual([failed.ok, payloadOf(failed.output).ok], [false, false]);
  outcome = () => ({ version: 1, status: 'refused', effect: 'none', cleanup: 'completed' });
  const refused = await toolset.executeWithStatus(callOf('upload_file'));
  assert.deepEqual([refused.ok, payloadOf(refused.output).ok], [false, false]);
});

test('a skipped call reads the state once and runs nothing', async () => {
  let states = 0;
  const toolset = toolsetOf(
    { state: () => ((states += 1), { tabs: [] }), click: () => assert.fail() },
    { confirm: () => assert.fail() },
  );
  const { output, ok } = await toolset.executeWithStatus(callOf('click'), undefined, true);
  assert.equal(ok, false);
  assert.equal(states, 1);
  assert.equal(output.call_id, 'call_1');
  const { error, ...rest } = payloadOf(output);
  assert.deepEqual(rest, { ok: false, state: { tabs: [] } });
  assert.match(error, /earlier/);
});

test('errors carry their code and no cause', async () => {
  const error = await toolsetOf({ click: () => 5 })
    .execute(callOf('click'))
    .catch((thrown) => thrown);
  assert.ok(error instanceof ContractError);
  assert.equal(error.name, 'ContractError');
  assert.equal(error.code, 'result_invalid');
  assert.equal('cause' in error, false);
  assert.match(String(error), /^ContractError: /);
});
