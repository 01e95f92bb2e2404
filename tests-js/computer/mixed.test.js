/** A runner with a browser, a screen and functions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BrowserError,
  ConfigurationError,
  ResponsesToolRunner,
  ResponsesToolRunnerError,
} from 'swingbridge';
import { clientOf, functionCall, lookup, message, responseOf } from '../runner/double.js';
import { toolsetOf } from '../support.js';
import { callNumber, CHECK, CLICK, MOVE, savedOutput, Screen, thrownBy } from './screen.js';

const CHECKED = { pending_safety_checks: [CHECK] };

/** A runner with everything, and what was asked of it. */
class Mixed {
  constructor(methods) {
    this.screen = new Screen(methods);
    this.log = this.screen.log;
    this.browser = toolsetOf({
      click: ({ target }) => {
        this.log.push('browser click');
        if (target === 'gone') throw new BrowserError('gone');
      },
    });
    this.functions = [lookup(() => (this.log.push('function'), '5'))];
    this.runner = new ResponsesToolRunner({
      browser: this.browser,
      computer: this.screen.toolset,
      functions: this.functions,
    });
  }

  run(client, options, params) {
    return this.runner.run(client, { model: 'm', input: 'go', ...params }, options);
  }
}

const browserCall = (number, target = 'e1') =>
  functionCall('browser_click', { target, tab_id: null }, `browser_${number}`);

test('calls of all kinds run in output order', async () => {
  const mixed = new Mixed();
  const last = responseOf([message()]);
  const client = clientOf(
    responseOf([
      callNumber(1),
      browserCall(1),
      functionCall('lookup', {}, 'f1'),
      callNumber(2, [MOVE], CHECKED),
    ]),
    last,
  );
  assert.equal(await mixed.run(client, { computerOptions: mixed.screen.approve() }), last);
  assert.deepEqual(mixed.log, [
    'click',
    'screenshot',
    'browser click',
    'function',
    'approve',
    'move',
    'screenshot',
  ]);
  const outputs = client.requests[1].body.input.slice(5);
  assert.deepEqual(
    outputs.map(({ type, call_id }) => `${type} ${call_id}`),
    [
      'computer_call_output call_1',
      'function_call_output browser_1',
      'function_call_output f1',
      'computer_call_output call_2',
    ],
  );
  assert.deepEqual([outputs[0], outputs[3]], [savedOutput(), savedOutput(2, [CHECK])]);
});

test('each call is acted on with its own actions', async () => {
  const mixed = new Mixed();
  const actions = [0, 1, 2].map((number) => ({ ...CLICK, x: number, note: number }));
  const calls = actions.map((action, number) => callNumber(number, [action]));
  await mixed.run(
    clientOf(responseOf(calls), responseOf([callNumber(7)]), responseOf([message()])),
  );
  assert.deepEqual(mixed.screen.given, [...actions, CLICK]);
});

test('the computer is declared before the tools of the service', async () => {
  const mixed = new Mixed();
  const client = clientOf(responseOf([message()]));
  await mixed.run(client, {}, { tools: [{ type: 'web_search' }] });
  const kinds = client.requests[0].body.tools.map(({ name, type }) => name ?? type);
  assert.deepEqual(kinds, [
    'browser_click',
    'browser_list_tabs',
    'lookup',
    'computer',
    'web_search',
  ]);
});

test('a declared computer keeps its place and its fields', async () => {
  const mixed = new Mixed();
  const client = clientOf(responseOf([message()]));
  const declared = [{ type: 'computer', display: 1 }, { type: 'web_search' }];
  await mixed.run(client, {}, { tools: declared });
  assert.deepEqual(client.requests[0].body.tools.slice(3), declared);
});

test('the tool choice is kept, and one that forces the computer is refused', async () => {
  const mixed = new Mixed();
  const client = clientOf(responseOf([callNumber(1)]), responseOf([message()]));
  const choice = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'computer' }] };
  await mixed.run(client, {}, { tool_choice: choice });
  assert.deepEqual(
    client.requests.map(({ body }) => body.tool_choice),
    [choice, choice],
  );
  for (const forced of ['required', { type: 'computer' }]) {
    await assert.rejects(mixed.run(clientOf(), {}, { tool_choice: forced }), ConfigurationError);
  }
});

test('a failed browser call skips no computer call', async () => {
  const mixed = new Mixed();
  const calls = [browserCall(1, 'gone'), browserCall(2), callNumber(1)];
  await mixed.run(clientOf(responseOf(calls), responseOf([message()])));
  assert.deepEqual(mixed.log, ['browser click', 'click', 'screenshot']);
});

for (const [item, code] of [
  [callNumber(1, [CLICK], CHECKED), 'safety_not_approved'],
  [callNumber(3), 'action_failed'],
]) {
  test(`a computer call that stops ends the run: ${code}`, async () => {
    const mixed = new Mixed({
      click() {
        throw new Error('tr0ub4dor');
      },
    });
    const calls = [functionCall('lookup', {}, 'f1'), item, functionCall('lookup', {}, 'f2')];
    const { error } = await thrownBy(() => mixed.run(clientOf(responseOf(calls))));
    assert.ok(error instanceof ResponsesToolRunnerError);
    assert.deepEqual(
      [error.code, error.attemptedCallIds, error.completedCallIds],
      [code, ['f1', item.call_id], ['f1']],
    );
    assert.equal('cause' in error, false);
    assert.doesNotMatch(String(error.stack), /tr0ub4dor/);
    assert.deepEqual(mixed.log, ['function']);
  });
}

test('a busy screen stops the run, and the screen is free after it', async () => {
  const mixed = new Mixed();
  let release;
  const other = new Promise((resolve) => (release = resolve));
  const holding = new Screen({ click: () => other });
  const runner = new ResponsesToolRunner({ computer: holding.toolset });
  const running = holding.execute(callNumber(9));
  const { error } = await thrownBy(() =>
    runner.run(clientOf(responseOf([callNumber(1)])), { model: 'm', input: 'go' }),
  );
  assert.equal(error.code, 'busy');
  release();
  await running;
  const client = clientOf(responseOf([callNumber(1)]), responseOf([message()]));
  await runner.run(client, { model: 'm', input: 'go' });
  assert.deepEqual(holding.toolset.close(), { status: 'closed' });
  assert.deepEqual(mixed.screen.toolset.close(), { status: 'closed' });
});

test('the screen is taken during its calls alone', async () => {
  const mixed = new Mixed();
  const seen = [];
  const look = async () => {
    try {
      await mixed.screen.execute(callNumber(8, [MOVE]));
      seen.push('free');
    } catch (error) {
      seen.push(error.code);
    }
  };
  const client = clientOf(
    async () => (await look(), responseOf([callNumber(1)])),
    async () => (await look(), responseOf([message()])),
  );
  const beforeAction = async () => (await look(), true);
  await mixed.run(client, { computerOptions: { beforeAction } });
  assert.deepEqual(seen, ['free', 'busy', 'busy', 'free']);
});

test('closing the screen during a run ends it at the next computer call', async () => {
  const mixed = new Mixed();
  const close = () => {
    mixed.screen.toolset.close();
    return responseOf([callNumber(1)]);
  };
  const { error } = await thrownBy(() => mixed.run(clientOf(close)));
  assert.equal(error.code, 'closed');
  assert.deepEqual(mixed.log, []);
});

test('a computer must be a toolset of this package', () => {
  for (const computer of [{}, new Screen().driver, 'computer']) {
    assert.throws(() => new ResponsesToolRunner({ computer }), {
      name: 'ConfigurationError',
      code: 'computer_not_a_toolset',
    });
  }
  for (const computer of [null, undefined]) new ResponsesToolRunner({ computer });
});

test('without a computer its calls stop the run and its declaration is refused', async () => {
  const runner = new ResponsesToolRunner({});
  const params = { model: 'm', input: 'go' };
  const { error } = await thrownBy(() => runner.run(clientOf(responseOf([callNumber(1)])), params));
  assert.equal(error.code, 'response_unsupported');
  await assert.rejects(runner.run(clientOf(), { ...params, tools: [{ type: 'computer' }] }), {
    name: 'ConfigurationError',
    code: 'computer_missing',
  });
});

test('signals count in order: the run, its request options, the computer options', async () => {
  const [run, request, computer] = [0, 1, 2].map(() => new AbortController().signal);
  const used = async (options) => {
    let seen;
    const screen = new Screen({ click: (_action, context) => void (seen = context.signal) });
    const client = clientOf(responseOf([callNumber(1)]), responseOf([message()]));
    const runner = new ResponsesToolRunner({ computer: screen.toolset });
    await runner.run(client, { model: 'm', input: 'go' }, options);
    assert.equal(client.requests[0].options?.signal, seen);
    return seen;
  };
  const computerOptions = { signal: computer };
  const requestOptions = { signal: request };
  assert.equal(await used({ signal: run, requestOptions, computerOptions }), run);
  assert.equal(await used({ requestOptions, computerOptions }), request);
  assert.equal(await used({ computerOptions }), computer);
  assert.equal(await used({}), undefined);
});

test('an aborted computer signal stops the run', async () => {
  const mixed = new Mixed();
  const controller = new AbortController();
  const computerOptions = {
    signal: controller.signal,
    beforeAction: () => (controller.abort(), true),
  };
  const { error } = await thrownBy(() =>
    mixed.run(clientOf(responseOf([callNumber(1)])), { computerOptions }),
  );
  assert.ok(error instanceof ResponsesToolRunnerError);
  assert.deepEqual(
    [error.code, error.attemptedCallIds, mixed.log],
    ['run_cancelled', ['call_1'], []],
  );
});

test("the run's observer sees everything, without it each part's own sees its calls", async () => {
  const script = () =>
    clientOf(responseOf([callNumber(1), browserCall(1)]), responseOf([message()]));
  const all = [];
  const computer = [];
  const computerOptions = { onDiagnostic: ({ api }) => computer.push(api) };
  const mixed = new Mixed();
  await mixed.run(script(), { onDiagnostic: ({ api }) => all.push(api), computerOptions });
  assert.deepEqual([new Set(all), computer], [new Set(['responses', 'computer', 'browser']), []]);
  await mixed.run(script(), { computerOptions });
  assert.deepEqual(computer, ['computer', 'computer']);
});

test('bad computer options are told before the first request', async () => {
  const mixed = new Mixed();
  const client = clientOf();
  await assert.rejects(
    mixed.run(client, { computerOptions: { beforeAction: 1 } }),
    ConfigurationError,
  );
  assert.equal(client.requests.length, 0);
});
