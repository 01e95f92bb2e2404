/** What stops a run, and what its error says. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import {
  BusyError,
  ClosedError,
  ConfigurationError,
  ResponsesToolRunner,
  ResponsesToolRunnerError,
} from 'swingbridge';
import { callOf, deferred, driverOf, isSettled, settled, toolsetOf } from '../support.js';
import { clientOf, functionCall, lookup, message, responseOf } from './double.js';

const PARAMS = { model: 'm', input: 'go' };
const CLICK = (callId) => functionCall('browser_click', { target: 'e1', tab_id: null }, callId);

async function stopOf(tools, client, options, params = PARAMS) {
  const error = await new ResponsesToolRunner(tools)
    .run(client, params, options)
    .then(assert.fail, (thrown) => thrown);
  assert.ok(error instanceof ResponsesToolRunnerError, String(error));
  assert.equal(error.name, 'ResponsesToolRunnerError');
  const { code, attemptedCallIds, completedCallIds } = error;
  return { error, code, ids: [attemptedCallIds, completedCallIds] };
}

const configurations = {
  'no tools object': () => new ResponsesToolRunner(),
  'a browser of another kind': () => new ResponsesToolRunner({ browser: { tools: () => [] } }),
  'functions that are no list': () => new ResponsesToolRunner({ functions: lookup() }),
  'a function without execute': () =>
    new ResponsesToolRunner({ functions: [{ tool: lookup().tool }] }),
  'a flag that is no boolean': () =>
    new ResponsesToolRunner({ functions: [{ ...lookup(), independent: 1 }] }),
  'a missing function': () => new ResponsesToolRunner({ functions: [undefined] }),
  'a declaration that is a cycle': () => {
    const parameters = {};
    parameters.self = parameters;
    return new ResponsesToolRunner({ functions: [lookup(undefined, { parameters })] });
  },
  'a declaration without a name': () =>
    new ResponsesToolRunner({ functions: [lookup(() => '', { name: undefined })] }),
  'a name twice': () => new ResponsesToolRunner({ functions: [lookup(), lookup()] }),
  'the name of an enabled browser tool': () =>
    new ResponsesToolRunner({
      browser: toolsetOf({ click() {} }),
      functions: [lookup(() => '', { name: 'browser_click' })],
    }),
};
for (const [what, construct] of Object.entries(configurations)) {
  test(`${what} is refused at construction`, () => {
    assert.throws(construct, (error) => {
      assert.ok(error instanceof ConfigurationError && error instanceof TypeError);
      return true;
    });
  });
}

const cyclic = { ...PARAMS };
cyclic.metadata = cyclic;
const runs = {
  'no client': [undefined, PARAMS],
  'a client without responses': [{}, PARAMS],
  'a client without create': [{ responses: {} }, PARAMS],
  'params that are no object': [undefined, 5],
  'missing params': [undefined, undefined],
  'cyclic params': [undefined, cyclic],
  'params with a bigint': [undefined, { ...PARAMS, seed: 1n }],
  'a sparse input': [undefined, { ...PARAMS, input: [, 1] }],
  'an undefined item': [undefined, { ...PARAMS, input: [undefined] }],
  'a function as an item': [undefined, { ...PARAMS, input: [() => 1] }],
  'no input': [undefined, { model: 'm' }],
  streaming: [undefined, { ...PARAMS, stream: true }],
  background: [undefined, { ...PARAMS, background: true }],
  'a conversation': [undefined, { ...PARAMS, conversation: 'c' }],
  'a previous response': [undefined, { ...PARAMS, previous_response_id: 'r' }],
  'a function among the tools': [undefined, { ...PARAMS, tools: [lookup().tool] }],
  'a choice that forces a function': [
    undefined,
    { ...PARAMS, tool_choice: { type: 'function', name: 'lookup' } },
  ],
  'an owned field in extra_body': [undefined, { ...PARAMS, extra_body: { model: 'other' } }],
  'no step': [undefined, PARAMS, { maxSteps: 0 }],
  'half a step': [undefined, PARAMS, { maxSteps: 1.5 }],
  'null steps': [undefined, PARAMS, { maxSteps: null }],
  'steps in words': [undefined, PARAMS, { maxSteps: '3' }],
  'endless steps': [undefined, PARAMS, { maxSteps: Infinity }],
};
for (const [what, [client, params, options]] of Object.entries(runs)) {
  test(`${what}: refused before the first request, and the runner stays usable`, async () => {
    const runner = new ResponsesToolRunner({ functions: [lookup()] });
    const used = clientOf(responseOf([message()]));
    const given = what.includes('client') ? client : used;
    await assert.rejects(runner.run(given, params, options), ConfigurationError);
    assert.equal(used.requests.length, 0);
    await runner.run(used, PARAMS);
  });
}

test("a failed request carries the client's error as its cause", async () => {
  const cause = Object.assign(new Error('401'), { status: 401 });
  for (const fails of [
    () => Promise.reject(cause),
    () => {
      throw cause;
    },
  ]) {
    const { error, code, ids } = await stopOf({ functions: [lookup()] }, clientOf(fails));
    assert.equal(code, 'request_failed');
    assert.equal(error.cause, cause);
    assert.deepEqual(ids, [[], []]);
  }
});

test('a function that fails stops the run without its words', async () => {
  const client = clientOf(
    responseOf([functionCall('lookup', {}, 'c1'), functionCall('lookup', {}, 'c2')]),
  );
  let calls = 0;
  const execute = () => {
    if ((calls += 1) === 2) throw new Error('secret');
    return 'found';
  };
  const { error, code, ids } = await stopOf({ functions: [lookup(execute)] }, client);
  assert.equal(code, 'function_failed');
  assert.deepEqual(ids, [['c1', 'c2'], ['c1']]);
  assert.equal('cause' in error, false);
  assert.ok(!JSON.stringify([error.message, error.stack, error]).includes('secret'));
});

for (const [what, output] of Object.entries({
  nothing: undefined,
  null: null,
  number: 5,
  object: { type: 'input_text', text: 't' },
  'unpaired surrogate': 'x\ud800',
  'unknown block': [{ type: 'output_text', text: 't' }],
  'stray field': [{ type: 'input_text', text: 't', extra: undefined }],
  'unpaired surrogate far away': [{ type: 'input_text', text: `${'x'.repeat(5000)}\ud800` }],
  hole: [,],
})) {
  test(`a function that returns ${what} stops the run`, async () => {
    const client = clientOf(responseOf([functionCall('lookup', {}, 'c1')]));
    const { code, ids } = await stopOf({ functions: [lookup(() => output)] }, client);
    assert.equal(code, 'function_output_invalid');
    assert.deepEqual(ids, [['c1'], []]);
  });
}

for (const [what, response, code] of [
  ['nothing', undefined, 'response_incomplete'],
  ['a text', 'response', 'response_incomplete'],
  [
    'an unfinished response',
    responseOf([message()], { status: 'incomplete' }),
    'response_incomplete',
  ],
  ['a response without output', responseOf(undefined), 'response_malformed'],
  ['an unknown item', responseOf([{ type: 'mystery', id: 'x' }]), 'response_unsupported'],
  ['an unknown function', responseOf([functionCall('other', {}, 'c1')]), 'response_unsupported'],
  [
    'arguments that are no object',
    responseOf([functionCall('lookup', [], 'c1')]),
    'function_arguments_invalid',
  ],
  [
    'an unfinished call',
    responseOf([functionCall('lookup', {}, 'c1', { status: 'in_progress' })]),
    'response_incomplete',
  ],
  [
    'a call id twice',
    responseOf([functionCall('lookup', {}, 'c1'), functionCall('lookup', {}, 'c1', { id: 'f2' })]),
    'identity_repeated',
  ],
  ['no final message', responseOf([]), 'no_final_message'],
  [
    'a hostile response',
    {
      status: 'completed',
      get output() {
        throw new Error('secret');
      },
    },
    'response_incomplete',
  ],
]) {
  test(`${what}: stops before anything runs`, async () => {
    const execute = () => assert.fail('ran');
    const stop = await stopOf(
      { functions: [lookup(execute)] },
      clientOf(() => response),
    );
    assert.equal(stop.code, code);
    assert.deepEqual(stop.ids, [[], []]);
    assert.ok(!stop.error.message.includes('secret'));
  });
}

test('the last allowed request starts no work', async () => {
  const call = (n) => responseOf([functionCall('lookup', {}, `c${n}`)]);
  const client = clientOf(call(1), call(2), call(3));
  const { code, ids } = await stopOf({ functions: [lookup()] }, client, { maxSteps: 2 });
  assert.equal(code, 'step_limit');
  assert.equal(client.requests.length, 2);
  assert.deepEqual(ids, [['c1'], ['c1']]);
});

test('a broken state stops the run with its own code', async () => {
  const browser = toolsetOf({ state: () => ({ tabs: 5 }), click() {} });
  const { code, ids } = await stopOf({ browser }, clientOf(responseOf([CLICK('c1')])));
  assert.equal(code, 'state_invalid');
  assert.deepEqual(ids, [['c1'], []]);
});

test('one run at a time, and none after close', async () => {
  const request = deferred();
  const runner = new ResponsesToolRunner({});
  const running = runner.run(
    clientOf(() => request.promise),
    PARAMS,
  );
  await assert.rejects(runner.run(clientOf(), PARAMS), BusyError);
  assert.deepEqual(runner.close(), { status: 'draining' });
  request.resolve(responseOf([message()]));
  await running;
  assert.deepEqual(runner.close(), { status: 'closed' });
  await assert.rejects(runner.run(clientOf(), PARAMS), ClosedError);
});

test('the toolset is held during browser calls only', async () => {
  const request = deferred();
  const browser = toolsetOf({
    click: async () => {
      assert.deepEqual(await direct(), 'busy');
      return undefined;
    },
  });
  const direct = () =>
    browser.execute(callOf('list_tabs')).then(
      () => 'free',
      ({ code }) => code,
    );
  const execute = async () => (assert.equal(await direct(), 'free'), 'found');
  const client = clientOf(
    responseOf([CLICK('c1'), functionCall('lookup', {}, 'c2'), CLICK('c3')]),
    () => request.promise,
  );
  const running = new ResponsesToolRunner({ browser, functions: [lookup(execute)] }).run(
    client,
    PARAMS,
  );
  assert.equal(await isSettled(running), false);
  assert.equal(await direct(), 'free');
  request.resolve(responseOf([message()]));
  await running;
});

test('a toolset that is busy elsewhere or closed stops the run', async () => {
  const state = deferred();
  const browser = toolsetOf({ state: () => state.promise, click: () => assert.fail() });
  const elsewhere = browser.execute(callOf('list_tabs'));
  const busy = await stopOf({ browser }, clientOf(responseOf([CLICK('c1')])));
  assert.equal(busy.code, 'busy');
  assert.deepEqual(busy.ids, [['c1'], []]);
  state.resolve({ tabs: [] });
  await elsewhere;
  browser.close();
  const closed = await stopOf({ browser }, clientOf(responseOf([CLICK('c1')])));
  assert.equal(closed.code, 'closed');
});

test('closing the toolset in a browser call refuses the next one', async () => {
  let clicks = 0;
  const browser = toolsetOf({
    click: () => {
      clicks += 1;
      assert.deepEqual(browser.close(), { status: 'draining' });
    },
  });
  const { code, ids } = await stopOf({ browser }, clientOf(responseOf([CLICK('c1'), CLICK('c2')])));
  assert.equal(code, 'closed');
  assert.equal(clicks, 1);
  assert.deepEqual(ids, [['c1', 'c2'], ['c1']]);
  assert.deepEqual(browser.close(), { status: 'closed' });
});

test('closing the runner in every callback lets the run finish', async () => {
  const seen = new Set();
  const close =
    (name, value) =>
    (...args) => {
      seen.add(`${name} ${runner.close().status}`);
      return typeof value === 'function' ? value(...args) : value;
    };
  const browser = toolsetOf(
    { state: close('state', { tabs: [] }), navigate: close('driver', undefined) },
    { confirm: close('confirm', true), urlPolicy: close('urlPolicy', true) },
  );
  const runner = new ResponsesToolRunner({
    browser,
    functions: [lookup(close('function', 'found'))],
  });
  const calls = [
    functionCall('browser_navigate', { url: 'https://example.com', tab_id: null }, 'c1'),
    functionCall('lookup', {}, 'c2'),
  ];
  const client = clientOf(close('client', responseOf(calls)), responseOf([message()]));
  await runner.run(client, PARAMS, { onDiagnostic: close('observer') });
  assert.deepEqual(
    [...seen].sort(),
    ['client', 'confirm', 'driver', 'function', 'observer', 'state', 'urlPolicy'].map(
      (name) => `${name} draining`,
    ),
  );
  assert.deepEqual(runner.close(), { status: 'closed' });
});

const listenersOf = (signal) => getEventListeners(signal, 'abort').length;

test('an abort before the run asks for nothing', async () => {
  const client = clientOf();
  const { code } = await stopOf({}, client, { signal: AbortSignal.abort('why') });
  assert.equal(code, 'run_cancelled');
  assert.equal(client.requests.length, 0);
});

for (const where of ['client', 'state', 'driver', 'function']) {
  test(`an abort inside ${where} stops the run with the receipts`, async () => {
    const controller = new AbortController();
    const step = (name, value) => async () => {
      if (name === where) controller.abort(new Error('why'));
      return value;
    };
    const browser = toolsetOf({ state: step('state', { tabs: [] }), click: step('driver') });
    const tools = { browser, functions: [lookup(step('function', 'found'))] };
    const client = clientOf(
      step('client', responseOf([functionCall('lookup', {}, 'c1'), CLICK('c2')])),
    );
    const { signal } = controller;
    const { error, code, ids } = await stopOf(tools, client, { requestOptions: { signal } });
    assert.equal(code, 'run_cancelled');
    assert.equal('cause' in error, false);
    const expected = {
      client: [[], []],
      function: [['c1'], ['c1']],
      state: [['c1', 'c2'], ['c1']],
      driver: [['c1', 'c2'], ['c1']],
    };
    assert.deepEqual(ids, expected[where]);
    assert.equal(listenersOf(signal), 0);
    assert.deepEqual(browser.close(), { status: 'closed' });
  });
}

for (const where of ['request', 'state']) {
  test(`a ${where} that never settles ends with the abort; the runner stays busy`, async () => {
    const controller = new AbortController();
    const pending = deferred();
    const browser = toolsetOf({ state: () => pending.promise, click() {} });
    const runner = new ResponsesToolRunner({ browser });
    const client = clientOf(() =>
      where === 'request' ? pending.promise : responseOf([CLICK('c1')]),
    );
    const running = runner.run(client, PARAMS, { signal: controller.signal });
    assert.equal(await isSettled(running), false);
    controller.abort();
    await assert.rejects(running, { code: 'run_cancelled' });
    assert.equal(listenersOf(controller.signal), 0);
    await assert.rejects(runner.run(clientOf(), PARAMS), BusyError);
    assert.deepEqual(browser.close(), { status: where === 'state' ? 'draining' : 'closed' });
    pending.resolve({ tabs: [] });
    await settled();
    assert.deepEqual(runner.close(), { status: 'closed' });
    assert.deepEqual(browser.close(), { status: 'closed' });
  });
}

test('many runs with one signal leave no listener', async () => {
  const { signal } = new AbortController();
  const runner = new ResponsesToolRunner({
    browser: toolsetOf({ state: async () => ({ tabs: [] }), click() {} }),
  });
  for (let times = 0; times < 20; times += 1) {
    const client = clientOf(responseOf([CLICK('c1')]), responseOf([message()]));
    await runner.run(client, PARAMS, { signal });
    assert.equal(listenersOf(signal), 0);
  }
});

test('the driver of a run may be anything that a toolset takes', async () => {
  const { BrowserToolset } = await import('swingbridge');
  const browser = new BrowserToolset(driverOf());
  const call = functionCall('browser_list_tabs', {}, 'c1');
  const client = clientOf(responseOf([call]), responseOf([message()]));
  await new ResponsesToolRunner({ browser }).run(client, PARAMS);
  assert.equal(client.requests.length, 2);
});
