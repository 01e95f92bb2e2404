/** An abort at each await of a run: one error with complete receipts, and no listener left (R-8, B-51). */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { ResponsesToolRunner } from 'swingbridge';
import { settled, toolsetOf } from '../support.js';
import { clientOf, functionCall, lookup, message, responseOf } from './double.js';
import { eventsOf, streamOf } from './streams.js';

const MCP = { type: 'mcp', server_label: 's', server_url: 'https://s.example/mcp' };
const END = responseOf([message()]);
const APPROVAL = {
  id: 'r1',
  type: 'mcp_approval_request',
  server_label: 's',
  name: 'n',
  arguments: '{}',
};
const CLICK = functionCall('browser_click', { target: 'e1', tab_id: null }, 'c2');
const listenersOf = (signal) => getEventListeners(signal, 'abort').length;

/** Everything that a run awaits passes `step`, in order; what each gives is its second argument. */
function scene(step, { streams, declares }) {
  const browser = toolsetOf(
    {
      state: () => step('state', { tabs: [] }),
      click: () => step('driver'),
    },
    { confirm: () => step('confirm', true) },
  );
  const execute = () => step('function', 'x'.repeat(2000));
  const functions = [
    lookup(execute),
    { ...lookup(execute, { name: 'beside' }), independent: true },
  ];
  const calls = [
    functionCall('beside', {}, 'c0'),
    functionCall('lookup', {}, 'c1'),
    CLICK,
    ...(declares ? [APPROVAL] : []),
  ];
  const script = [responseOf(calls), END];
  const create = () => {
    const response = script.shift();
    return step('request', streams ? noted(streamOf(eventsOf(response)), step) : response);
  };
  const options = {
    ...(streams && { stream: true, eager: true }),
    onEvent: () => step('event'),
    beforeEarlyCall: () => step('review', 'execute'),
    approveMcp: () => step('approve', true),
    contextBudget: {
      maxInputBytes: 2000,
      maxInputImages: 0,
      compact: ({ eligibleCallIds }) => step('compact', { dropCallIds: eligibleCallIds }),
    },
  };
  if (!streams) options.ledger = { runId: 'r', save: () => step('save') };
  const params = { model: 'm', input: 'go', tools: declares ? [MCP] : [] };
  const runner = new ResponsesToolRunner({ browser, functions });
  const run = (given) => runner.run({ responses: { create } }, params, { ...options, ...given });
  return { run, runner };
}

/** A stream each of whose reads is a step. */
function noted(stream, step) {
  const iterator = stream[Symbol.asyncIterator]();
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => step('read', await iterator.next()),
      return: () => iterator.return(),
    }),
  };
}

for (const [mode, form] of Object.entries({
  whole: { streams: false, declares: true },
  streamed: { streams: true, declares: true },
  eager: { streams: true, declares: false },
})) {
  const names = [];
  const count = scene(async (name, value) => (names.push(name), value), form);
  await count.run();
  test(`${mode}: the run passes every kind of await`, () => {
    const kinds = ['request', 'state', 'confirm', 'driver', 'function', 'compact'];
    if (form.streams) kinds.push('read', 'event');
    else kinds.push('save');
    kinds.push(form.declares ? 'approve' : 'review');
    assert.deepEqual([...new Set(names)].sort(), kinds.sort());
  });

  for (const [at, name] of names.entries()) {
    test(`${mode}: an abort at step ${at}, ${name}`, async () => {
      const controller = new AbortController();
      const begun = [];
      const over = [];
      let steps = 0;
      const step = async (kind, value) => {
        const isEffect = kind === 'function' || kind === 'driver';
        if (isEffect) begun.push(kind);
        if (steps++ === at) controller.abort(new Error('why'));
        await settled();
        if (isEffect) over.push(kind);
        return value;
      };
      const { run, runner } = scene(step, form);
      const error = await run({ signal: controller.signal }).catch((thrown) => thrown);
      assert.equal(error.name, 'ResponsesToolRunnerError', String(error.stack));
      assert.equal(error.code, 'run_cancelled');
      assert.equal('cause' in error, false);
      const { attemptedCallIds: attempted, completedCallIds: completed } = error;
      assert.ok(completed.every((id) => attempted.includes(id)));
      // Every effect that was begun is over, and is in the receipts.
      assert.deepEqual(begun, over);
      const effects = attempted.filter((id) => id !== 'r1' && id !== 'c2').length;
      assert.ok(begun.filter((kind) => kind === 'function').length <= effects);
      assert.ok(!begun.includes('driver') || attempted.includes('c2'));
      const functions = completed.filter((id) => id === 'c0' || id === 'c1').length;
      assert.equal(over.filter((kind) => kind === 'function').length, functions);
      const stepsAtEnd = steps;
      for (let turn = 0; turn < 5; turn += 1) await settled();
      assert.equal(steps, stepsAtEnd, 'nothing goes on after the error');
      assert.equal(listenersOf(controller.signal), 0);
      assert.deepEqual(runner.close(), { status: 'closed' });
    });
  }
}

test('one signal for 200 runs has no listener left, and never more than one', async () => {
  const { signal } = new AbortController();
  let most = 0;
  const step = async (_name, value) => {
    most = Math.max(most, listenersOf(signal));
    return value;
  };
  for (let times = 0; times < 200; times += 1) {
    const { run } = scene(step, { streams: times % 2 === 0, declares: times % 4 === 0 });
    await run({ signal });
    assert.equal(listenersOf(signal), 0);
  }
  assert.ok(most <= 1);
});

test('an iteration has no listener while somebody looks at a turn', async () => {
  const { signal } = new AbortController();
  const client = clientOf(responseOf([functionCall('lookup', {}, 'c1')]), END);
  const runner = new ResponsesToolRunner({ functions: [lookup()] });
  for await (const _turn of runner.iterate(client, { model: 'm', input: 'go' }, { signal })) {
    assert.equal(listenersOf(signal), 0);
  }
});
