/** What requests carry and what the client is told besides (R-2, R-7, R-60, R-61, `finishAtLimit`). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ComputerToolset,
  ConfigurationError,
  ResponsesToolRunner,
  UsageSummary,
} from 'swingbridge';
import { toolsetOf } from '../support.js';
import { clientOf, functionCall, lookup, message, responseOf } from './double.js';

const PARAMS = { model: 'm', input: 'go' };
const call = (n) => responseOf([functionCall('lookup', {}, `c${n}`)]);
const END = responseOf([message()]);
const MCP = { type: 'mcp', server_label: 's', server_url: 'https://s.example/mcp' };

/** The options that the client got with each request of a run of three requests. */
async function optionsOf(options, { client = clientOf(call(1), call(2), END), params } = {}) {
  const runner = new ResponsesToolRunner({ functions: [lookup()] });
  await runner.run(client, { ...PARAMS, ...params }, options);
  return client.requests.map(({ options: given }) => given);
}

test('an idempotency key is for one step: later ones have their own', async () => {
  const requestOptions = Object.freeze({ idempotencyKey: 'k', timeout: 5 });
  assert.deepEqual(await optionsOf({ requestOptions }), [
    requestOptions,
    { idempotencyKey: 'k-2', timeout: 5 },
    { idempotencyKey: 'k-3', timeout: 5 },
  ]);
});

for (const [what, headers, keyOf] of [
  ['an object', { 'idempotency-KEY': 'k', other: 'x' }, (given) => given['Idempotency-Key']],
  [
    'pairs',
    [
      ['Idempotency-Key', 'k'],
      ['other', 'x'],
    ],
    (given) => given.find(([name]) => name === 'Idempotency-Key')[1],
  ],
  [
    'Headers',
    new Headers({ 'idempotency-key': 'k', other: 'x' }),
    (given) => given.get('idempotency-key'),
  ],
]) {
  test(`an idempotency key among headers that are ${what}`, async () => {
    const [first, second, third] = await optionsOf({ requestOptions: { headers } });
    assert.equal(first.headers, headers);
    assert.deepEqual([keyOf(second.headers), keyOf(third.headers)], ['k-2', 'k-3']);
    const plain = new Headers(second.headers);
    assert.deepEqual([...plain.keys()].sort(), ['idempotency-key', 'other']);
    assert.equal(new Headers(headers).get('idempotency-key'), 'k');
  });
}

test("an idempotency key of the client's own headers", async () => {
  const client = clientOf(call(1), call(2), END);
  client._options = { defaultHeaders: { 'Idempotency-Key': 'mine' } };
  assert.deepEqual(await optionsOf({ requestOptions: { headers: { a: 'b' } } }, { client }), [
    { headers: { a: 'b' } },
    { headers: { a: 'b', 'Idempotency-Key': 'mine-2' } },
    { headers: { a: 'b', 'Idempotency-Key': 'mine-3' } },
  ]);
});

test('a request header, null as well, goes before that of the client', async () => {
  for (const key of ['given', null]) {
    const client = clientOf(call(1), END);
    client._options = { defaultHeaders: { 'Idempotency-Key': 'mine' } };
    const headers = { 'Idempotency-Key': key };
    const [, second] = await optionsOf({ requestOptions: { headers } }, { client });
    assert.deepEqual(second.headers, { 'Idempotency-Key': key && 'given-2' });
  }
});

test('a client whose options cannot be read has no key', async () => {
  const client = clientOf(call(1), END);
  Object.defineProperty(client, '_options', {
    get() {
      throw new Error('secret');
    },
  });
  assert.deepEqual(await optionsOf(undefined, { client }), [undefined, undefined]);
});

test('with MCP the client must not send a request again by itself', async () => {
  const params = { tools: [{ ...MCP, require_approval: 'never' }] };
  assert.deepEqual(await optionsOf(undefined, { params }), Array(3).fill({ maxRetries: 0 }));
});

test('a body among the request options is refused', async () => {
  const client = clientOf(END);
  await assert.rejects(optionsOf({ requestOptions: { body: {} } }, { client }), ConfigurationError);
  assert.equal(client.requests.length, 0);
});

test('finishAtLimit leaves the local tools out of the last request', async () => {
  const noop = () => undefined;
  const methods = 'click double_click drag keypress move scroll type wait screenshot'.split(' ');
  const computer = new ComputerToolset(Object.fromEntries(methods.map((name) => [name, noop])));
  const browser = toolsetOf({ click() {} });
  const tools = [{ type: 'web_search' }, { type: 'computer' }];
  const client = clientOf(call(1), END);
  const runner = new ResponsesToolRunner({ browser, computer, functions: [lookup()] });
  const records = [];
  const turns = [];
  for await (const { toolsWithheld } of runner.iterate(
    client,
    { ...PARAMS, tools, tool_choice: 'auto' },
    {
      maxSteps: 2,
      finishAtLimit: true,
      onDiagnostic: ({ stage, reason }) => records.push(`${stage} ${reason}`),
    },
  )) {
    turns.push(toolsWithheld);
  }
  assert.deepEqual(turns, [false, true]);
  const [first, second] = client.requests.map(({ body }) => body);
  assert.equal(first.tools.length, browser.tools().length + 3);
  assert.equal(first.tool_choice, 'auto');
  assert.deepEqual(second.tools, [{ type: 'web_search' }]);
  assert.equal('tool_choice' in second, false);
  assert.ok(records.includes('run step_limit'));
});

test('without finishAtLimit the last request has its tools, and stops the run', async () => {
  const client = clientOf(call(1), call(2));
  await assert.rejects(optionsOf({ maxSteps: 2 }, { client }), { code: 'step_limit' });
  assert.equal(client.requests[1].body.tools.length, 1);
});

for (const [options, code] of [
  [{ stream: 1 }, 'option_invalid'],
  [{ stream: 'yes' }, 'option_invalid'],
  [{ stream: true, eager: 1 }, 'option_invalid'],
  [{ eager: true }, 'eager_without_stream'],
  [{ finishAtLimit: {} }, 'option_invalid'],
  [{ maxConcurrentCalls: 0 }, 'option_invalid'],
  [{ maxConcurrentCalls: 1.5 }, 'option_invalid'],
  [{ maxConcurrentCalls: null }, 'option_invalid'],
  [{ maxConcurrentCalls: '2' }, 'option_invalid'],
  [{ onEvent: 5 }, 'callback_invalid'],
  [{ beforeEarlyCall: {} }, 'callback_invalid'],
  [{ approveMcp: true }, 'callback_invalid'],
]) {
  test(`an option of another kind is refused: ${JSON.stringify(options)}`, async () => {
    const client = clientOf(END);
    await assert.rejects(optionsOf(options, { client }), (error) => {
      assert.ok(error instanceof ConfigurationError, String(error.stack));
      assert.equal(error.code, code);
      return true;
    });
    assert.equal(client.requests.length, 0);
  });
}

test('flags that are null and callbacks that are null are not given', async () => {
  await optionsOf({
    stream: null,
    eager: null,
    finishAtLimit: null,
    onEvent: null,
    beforeEarlyCall: null,
    approveMcp: null,
    ledger: null,
    contextBudget: null,
    maxSteps: undefined,
    maxConcurrentCalls: undefined,
  });
});

test('a summary adds up the token counts of several runs, and says when some are missing', async () => {
  const usage = new UsageSummary();
  assert.deepEqual(JSON.parse(JSON.stringify(usage)), {
    requests: 0,
    counted: 0,
    inputTokens: 0,
    outputTokens: 0,
    totalTokens: 0,
    incomplete: false,
  });
  await optionsOf({ onDiagnostic: usage.observe });
  assert.deepEqual(
    [usage.requests, usage.counted, usage.inputTokens, usage.outputTokens, usage.totalTokens],
    [3, 3, 9, 6, 15],
  );
  assert.equal(usage.incomplete, false);
  const client = clientOf(responseOf([message()], { usage: null }));
  await optionsOf({ onDiagnostic: usage.observe }, { client });
  assert.deepEqual([usage.requests, usage.counted, usage.incomplete], [4, 3, true]);
  const dead = clientOf(() => Promise.reject(new Error('dead')));
  await assert.rejects(optionsOf({ onDiagnostic: usage.observe }, { client: dead }));
  assert.deepEqual([usage.requests, usage.totalTokens], [5, 15]);
});

test('a summary counts requests only', async () => {
  const usage = new UsageSummary();
  const browser = toolsetOf({ click() {} }, { onDiagnostic: usage.observe });
  const click = functionCall('browser_click', { target: 'e1', tab_id: null }, 'c1');
  await browser.execute(click);
  assert.equal(usage.requests, 0);
});
