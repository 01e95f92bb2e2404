/** Calls that run before their response is complete (R-30 … R-35). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BrowserToolset, ConfigurationError, ResponsesToolRunner } from 'swingbridge';
import { deferred, driverOf, isSettled, settled } from '../support.js';
import { functionCall, lookup, message, responseOf } from './double.js';
import { eventsOf, manualStream, streamingClient } from './streams.js';

const PARAMS = { model: 'm', input: 'go' };
const EAGER = { stream: true, eager: true };
const CALLS = responseOf(['c1', 'c2', 'c3'].map((id) => functionCall('lookup', {}, id)));
const END = responseOf([message()]);
const independent = (execute) => ({ ...lookup(execute), independent: true });

/** A run whose first stream is given by hand; `reach` gives its events up to that of a call. */
function byHand(runner, options = {}, response = CALLS) {
  const manual = manualStream();
  const streams = [manual.stream];
  const responses = { create: () => streams.shift() ?? eventsOf(END) };
  const running = runner.run({ responses }, PARAMS, { ...EAGER, ...options });
  const events = eventsOf(response);
  const reach = async (callId) => {
    while (events.length > 0) {
      const event = events.shift();
      manual.event(event);
      if (event.type.endsWith('item.done') && event.item.call_id === callId) break;
    }
    await settled();
  };
  return { running, manual, events, reach, finish: () => reach(undefined) };
}

test('a call runs when its own item is complete, before more is read', async () => {
  const work = deferred();
  const order = [];
  const runner = new ResponsesToolRunner({
    functions: [lookup(() => (order.push('ran'), work.promise))],
  });
  const { running, manual, reach, finish } = byHand(runner);
  await reach('c1');
  assert.deepEqual([order, manual.isRead()], [['ran'], false]);
  work.resolve('x');
  await settled();
  assert.equal(manual.isRead(), true);
  await finish();
  assert.deepEqual(await running, END);
});

test('the turn says what ran early, and its calls are in the receipts', async () => {
  const client = streamingClient(eventsOf(CALLS), eventsOf(END));
  const runner = new ResponsesToolRunner({ functions: [lookup()] });
  const turns = [];
  for await (const turn of runner.iterate(client, PARAMS, EAGER)) {
    turns.push([turn.toolsExecuted, turn.completedCallIds.length]);
  }
  assert.deepEqual(turns, [
    [true, 3],
    [false, 3],
  ]);
});

test('after a gap everything waits for the whole response', async () => {
  const executed = [];
  const runner = new ResponsesToolRunner({
    functions: [lookup(() => (executed.push(1), 'x'))],
  });
  const events = eventsOf(CALLS).filter(({ type }) => !type.endsWith('added'));
  [events[1], events[2]] = [events[2], events[1]];
  const client = streamingClient(events, eventsOf(END));
  const seen = [];
  const onEvent = ({ type }) => seen.push([type.split('.').at(-1), executed.length]);
  await runner.run(client, PARAMS, { ...EAGER, onEvent });
  assert.deepEqual(seen.slice(0, 5), [
    ['created', 0],
    ['done', 0],
    ['done', 0],
    ['done', 0],
    ['completed', 0],
  ]);
  assert.equal(executed.length, 3);
});

for (const [what, edit] of Object.entries({
  'has other arguments': (output) => (output[0].arguments = '{"n":1}'),
  'has another value in a field that no rule reads': (output) => (output[0].extra = 2),
  'is gone': (output) => output.shift(),
  'is followed by one that was not streamed': (output) =>
    output.push(functionCall('lookup', {}, 'c9')),
})) {
  test(`an executed item that ${what} at the end stops the run with the receipts`, async () => {
    const response = responseOf([functionCall('lookup', {}, 'c1', { extra: 1 })]);
    const events = eventsOf(structuredClone(response));
    edit(events.at(-1).response.output);
    const runner = new ResponsesToolRunner({ functions: [lookup()] });
    await assert.rejects(runner.run(streamingClient(events), PARAMS, EAGER), {
      code: 'stream_item_changed',
      attemptedCallIds: ['c1'],
      completedCallIds: ['c1'],
    });
  });
}

test('an executed item keeps what the service does not take back out of the history only', async () => {
  const response = responseOf([functionCall('lookup', {}, 'c1', { created_by: 'service' })]);
  const client = streamingClient(eventsOf(response), eventsOf(END));
  await new ResponsesToolRunner({ functions: [lookup()] }).run(client, PARAMS, EAGER);
  assert.equal('created_by' in client.requests[1].body.input[1], false);
});

for (const [what, earlyExecution, expected] of [
  ['without a list all are early', undefined, [true, true]],
  ['null is without a list', null, [true, true]],
  ['an empty object lets none', {}, [false, false]],
  ['an undefined list lets none', { functions: undefined }, [false, false]],
  ['a browser tool by its wire name', { functions: ['browser_list_tabs'] }, [true, false]],
  ['the first that waits defers those behind it', { functions: ['lookup'] }, [false, false]],
  ['both', { functions: ['lookup', 'browser_list_tabs'], computer: false }, [true, true]],
]) {
  test(`earlyExecution: ${what}`, async () => {
    const executed = [];
    const driver = driverOf();
    const { state } = driver;
    driver.state = () => (executed.push('browser'), state());
    const browser = new BrowserToolset(driver);
    const functions = [lookup(() => (executed.push('lookup'), 'x'))];
    const runner = new ResponsesToolRunner({ browser, functions, earlyExecution });
    const response = responseOf([
      functionCall('browser_list_tabs', {}, 'c1'),
      functionCall('lookup', {}, 'c2'),
    ]);
    const early = [];
    const onEvent = ({ type }) => {
      if (type === 'response.completed') early.push([...executed]);
    };
    const client = streamingClient(eventsOf(response), eventsOf(END));
    await runner.run(client, PARAMS, { ...EAGER, onEvent });
    assert.deepEqual(
      ['browser', 'lookup'].map((name) => early[0].includes(name)),
      expected,
    );
    assert.ok(executed.includes('browser') && executed.includes('lookup'));
  });
}

const fails = {
  get functions() {
    throw new Error('secret');
  },
};
for (const earlyExecution of [
  5,
  true,
  'lookup',
  ['lookup'],
  { functions: 'lookup' },
  { functions: ['lookup', 'lookup'] },
  { functions: ['unknown'] },
  { functions: [5] },
  { functions: null },
  { computer: 1 },
  { computers: true },
  { early_execution: [] },
  fails,
]) {
  test(`earlyExecution is refused: ${Object.keys(Object(earlyExecution))} ${typeof earlyExecution}`, () => {
    assert.throws(
      () => new ResponsesToolRunner({ functions: [lookup()], earlyExecution }),
      (error) => error instanceof ConfigurationError && error.code === 'early_execution_invalid',
    );
  });
}

test('beforeEarlyCall gets a copy of each call that may be early', async () => {
  const asked = [];
  const client = streamingClient(eventsOf(CALLS), eventsOf(END));
  await new ResponsesToolRunner({ functions: [lookup()] }).run(client, PARAMS, {
    ...EAGER,
    beforeEarlyCall: async (call) => {
      asked.push({ ...call });
      for (const name of Object.keys(call)) delete call[name];
      return 'execute';
    },
  });
  assert.deepEqual(asked, CALLS.output);
  assert.deepEqual(client.requests[1].body.input.slice(1, 4), CALLS.output);
});

for (const decision of [undefined, null, true, 'Execute', 'yes', {}, ['execute']]) {
  test(`beforeEarlyCall must decide: ${JSON.stringify(decision)}`, async () => {
    const runner = new ResponsesToolRunner({ functions: [lookup(() => assert.fail('ran'))] });
    const beforeEarlyCall = () => decision;
    await assert.rejects(
      runner.run(streamingClient(eventsOf(CALLS)), PARAMS, { ...EAGER, beforeEarlyCall }),
      { code: 'early_undecided', attemptedCallIds: [] },
    );
  });
}

test('beforeEarlyCall that fails stops the run', async () => {
  const runner = new ResponsesToolRunner({ functions: [lookup(() => assert.fail('ran'))] });
  const beforeEarlyCall = () => Promise.reject(new Error('secret'));
  await assert.rejects(
    runner.run(streamingClient(eventsOf(CALLS)), PARAMS, { ...EAGER, beforeEarlyCall }),
    { code: 'early_undecided' },
  );
});

test('with tools of the service local calls wait for the whole response', async () => {
  const executed = [];
  const runner = new ResponsesToolRunner({ functions: [lookup(() => (executed.push(1), 'x'))] });
  const onEvent = () => {
    if (executed.length < 3) assert.equal(executed.length, 0);
  };
  const params = { ...PARAMS, tools: [{ type: 'web_search' }] };
  await runner.run(streamingClient(eventsOf(CALLS), eventsOf(END)), params, { ...EAGER, onEvent });
  assert.equal(executed.length, 3);
});

// --- Independent functions ---

test('independent functions run beside the stream and each other, up to the limit', async () => {
  const works = [deferred(), deferred(), deferred()];
  let begun = 0;
  const runner = new ResponsesToolRunner({
    functions: [independent(() => works[begun++].promise)],
  });
  const { running, manual, reach, finish } = byHand(runner);
  await reach('c1');
  assert.deepEqual([begun, manual.isRead()], [1, true]);
  await reach('c2');
  // Two at once: they are waited for before more is read.
  assert.deepEqual([begun, manual.isRead()], [2, false]);
  works[1].resolve('second');
  await settled();
  assert.equal(manual.isRead(), false);
  works[0].resolve('first');
  await settled();
  assert.equal(manual.isRead(), true);
  await reach('c3');
  assert.deepEqual([begun, manual.isRead()], [3, true]);
  await finish();
  assert.equal(await isSettled(running), false);
  works[2].resolve('third');
  assert.deepEqual(await running, END);
});

test('they settle in the order of their calls, whatever is ready first', async () => {
  const works = [deferred(), deferred()];
  let begun = 0;
  const functions = [independent(() => works[begun++].promise)];
  const runner = new ResponsesToolRunner({ functions });
  const client = streamingClient(eventsOf(responseOf(CALLS.output.slice(0, 2))), eventsOf(END));
  const running = runner.run(client, PARAMS, { ...EAGER, maxConcurrentCalls: 9 });
  await settled();
  works[1].resolve('second');
  await settled();
  works[0].resolve('first');
  await running;
  assert.deepEqual(
    client.requests[1].body.input.slice(-2).map(({ output }) => output),
    ['first', 'second'],
  );
});

test('with a limit of one they run one by one, and with a ledger too', async () => {
  for (const options of [
    { maxConcurrentCalls: 1 },
    { maxConcurrentCalls: 9, ledger: { runId: 'r', save() {} } },
  ]) {
    let running = 0;
    const execute = async () => {
      running += 1;
      assert.equal(running, 1);
      await settled();
      running -= 1;
      return 'x';
    };
    const runner = new ResponsesToolRunner({ functions: [independent(execute)] });
    const client = streamingClient(eventsOf(CALLS), eventsOf(END));
    await runner.run(client, PARAMS, { ...EAGER, ...options });
  }
});

test('what one returns is copied when it returns', async () => {
  const block = { type: 'input_text', text: 'now' };
  const works = [() => [block], async () => [block]];
  const runner = new ResponsesToolRunner({ functions: [independent(() => works.shift()())] });
  const { running, reach, events } = byHand(runner, {}, responseOf(CALLS.output.slice(0, 2)));
  const turnEnd = events.at(-1);
  await reach('c1');
  block.text = 'later';
  await reach('c2');
  block.text = 'much later';
  assert.equal(turnEnd.type, 'response.completed');
  await reach(undefined);
  await running;
  assert.deepEqual(block, { type: 'input_text', text: 'much later' });
});

test('started work keeps its receipts when another call fails', async () => {
  const works = [deferred(), deferred()];
  let begun = 0;
  const functions = [
    independent(() => works[begun++].promise),
    lookup(
      () => {
        throw new Error('secret');
      },
      { name: 'other' },
    ),
  ];
  const runner = new ResponsesToolRunner({ functions });
  const response = responseOf([...CALLS.output.slice(0, 2), functionCall('other', {}, 'c9')]);
  const client = streamingClient(eventsOf(response));
  const running = runner.run(client, PARAMS, { ...EAGER, maxConcurrentCalls: 5 });
  await settled();
  works[0].reject(new Error('secret'));
  assert.equal(await isSettled(running), false);
  works[1].resolve('x');
  await assert.rejects(running, {
    code: 'function_failed',
    attemptedCallIds: ['c1', 'c2'],
    completedCallIds: ['c2'],
  });
  assert.deepEqual(runner.close(), { status: 'closed' });
});

test('one that throws at once is a failed function', async () => {
  const runner = new ResponsesToolRunner({
    functions: [
      independent(() => {
        throw new Error('secret');
      }),
    ],
  });
  await assert.rejects(runner.run(streamingClient(eventsOf(CALLS)), PARAMS, EAGER), {
    code: 'function_failed',
    completedCallIds: [],
  });
});

test('one that returns no output is an invalid output', async () => {
  for (const value of [5, undefined, [5], Promise.resolve({})]) {
    const runner = new ResponsesToolRunner({ functions: [independent(() => value)] });
    await assert.rejects(runner.run(streamingClient(eventsOf(CALLS)), PARAMS, EAGER), {
      code: 'function_output_invalid',
      completedCallIds: [],
    });
  }
});

test('an abort waits for started work, and keeps its receipt', async () => {
  const controller = new AbortController();
  const work = deferred();
  const runner = new ResponsesToolRunner({ functions: [independent(() => work.promise)] });
  const { running, manual, reach } = byHand(runner, { signal: controller.signal });
  await reach('c1');
  controller.abort();
  assert.equal(await isSettled(running), false);
  assert.deepEqual(manual.ends, ['return', 'abort']);
  work.resolve('x');
  await assert.rejects(running, {
    code: 'run_cancelled',
    attemptedCallIds: ['c1'],
    completedCallIds: ['c1'],
  });
});

test('a stream that breaks waits for started work, and keeps its receipt', async () => {
  const work = deferred();
  const runner = new ResponsesToolRunner({ functions: [independent(() => work.promise)] });
  const { running, manual, reach } = byHand(runner);
  await reach('c1');
  manual.fail(new Error('ECONNRESET'));
  assert.equal(await isSettled(running), false);
  work.resolve('x');
  await assert.rejects(running, { code: 'request_failed', completedCallIds: ['c1'] });
});

test('started work keeps the runner busy if this package itself fails', async (t) => {
  const work = deferred();
  const runner = new ResponsesToolRunner({ functions: [independent(() => work.promise)] });
  const { running, reach } = byHand(runner);
  await reach('c1');
  const fails = () => {
    throw new RangeError('secret');
  };
  // The next that is parsed is the call that is to be started.
  t.mock.method(JSON, 'parse', fails, { times: 1 });
  const stopped = assert.rejects(running, {
    code: 'host_failed',
    attemptedCallIds: ['c1', 'c2'],
  });
  await reach('c2');
  await stopped;
  await assert.rejects(runner.run({ responses: { create() {} } }, PARAMS), { code: 'busy' });
  work.resolve('x');
  await settled();
  assert.deepEqual(runner.close(), { status: 'closed' });
});
