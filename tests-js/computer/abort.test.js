/** Cancelling computer calls and runs with an AbortSignal (B-51). */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { BusyError } from 'swingbridge';
import { clientOf, message, responseOf } from '../runner/double.js';
import { deferred, isSettled, settled } from '../support.js';
import {
  call,
  callNumber,
  CHECK,
  CLICK,
  MOVE,
  output,
  PICTURE,
  Screen,
  thrownBy,
} from './screen.js';

const listenersOf = (signal) => getEventListeners(signal, 'abort').length;
const CHECKED = call([CLICK, MOVE], { pending_safety_checks: [CHECK] });

test('an abort before the call touches nothing and rethrows the reason', async () => {
  const screen = new Screen();
  for (const reason of [new Error('mine'), 'a text', 0, null]) {
    const signal = AbortSignal.abort(reason);
    const { error } = await thrownBy(() => screen.execute(call(), { signal }));
    assert.equal(error, reason);
  }
  assert.deepEqual(screen.log, []);
});

const STEPS = [
  'approve',
  'before click',
  'click',
  'before move',
  'move',
  'before screenshot',
  'screenshot',
];

for (const [index, where] of STEPS.entries()) {
  test(`an abort inside ${where} ends the call at that point`, async () => {
    const controller = new AbortController();
    const reason = new Error('why');
    const log = [];
    const step =
      (name, value) =>
      (...args) => {
        const full = name === 'before' ? `before ${args[0].type}` : name;
        log.push(full);
        if (full === where) controller.abort(reason);
        return value;
      };
    const screen = new Screen({
      click: step('click'),
      move: step('move'),
      screenshot: step('screenshot', PICTURE),
    });
    const { error } = await thrownBy(() =>
      screen.execute(CHECKED, {
        approveSafetyChecks: step('approve', true),
        beforeAction: step('before', true),
        signal: controller.signal,
      }),
    );
    assert.equal(error, reason);
    assert.deepEqual(log, STEPS.slice(0, index + 1));
    assert.equal(listenersOf(controller.signal), 0);
    assert.deepEqual(await screen.execute(call([MOVE])), output());
  });
}

test('an abort outranks what the driver throws meanwhile', async () => {
  const controller = new AbortController();
  const reason = new Error('why');
  const screen = new Screen({
    click() {
      controller.abort(reason);
      throw new Error('broken');
    },
  });
  const { error } = await thrownBy(() => screen.execute(call(), { signal: controller.signal }));
  assert.equal(error, reason);
});

for (const where of ['approve', 'before', 'click', 'screenshot']) {
  test(`the helper waits for a pending ${where} after an abort`, async () => {
    const pending = deferred();
    const controller = new AbortController();
    const methods = ['click', 'screenshot'].includes(where)
      ? { [where]: () => pending.promise }
      : {};
    const screen = new Screen(methods);
    const options = {
      ...(where === 'approve' ? { approveSafetyChecks: () => pending.promise } : screen.approve()),
      ...(where === 'before' && { beforeAction: () => pending.promise }),
      signal: controller.signal,
    };
    const running = screen.execute(CHECKED, options);
    await settled();
    controller.abort();
    await settled();
    assert.equal(await isSettled(running), false);
    await assert.rejects(screen.execute(call()), BusyError);
    pending.resolve(true);
    await assert.rejects(running, { name: 'AbortError' });
    assert.equal(listenersOf(controller.signal), 0);
  });
}

test('many calls and runs with one signal leave no listener', async () => {
  const { signal } = new AbortController();
  const screen = new Screen({ click: async () => undefined });
  for (let turn = 0; turn < 50; turn += 1) {
    await screen.execute(call(), { signal });
    await screen.run(clientOf(responseOf([call()]), responseOf([message()])), { signal });
    await screen.run(clientOf(responseOf([message()])), { requestOptions: { signal } });
    assert.equal(listenersOf(signal), 0);
  }
});

for (const [name, abortAt] of [
  ['the first request', 0],
  ['the second request', 1],
]) {
  test(`an abort inside ${name} ends the run with the reason`, async () => {
    const controller = new AbortController();
    const reason = new Error('why');
    let requests = 0;
    const client = {
      responses: {
        create: async (_body, { signal }) => {
          assert.equal(signal, controller.signal);
          if (requests === abortAt) controller.abort(reason);
          requests += 1;
          return responseOf([callNumber(requests)]);
        },
      },
    };
    const screen = new Screen();
    const { error } = await thrownBy(() => screen.run(client, { signal: controller.signal }));
    assert.equal(error, reason);
    assert.equal(requests, abortAt + 1);
    assert.deepEqual(screen.log, Array(abortAt).fill(['click', 'screenshot']).flat());
  });
}

test('a request that never settles ends with the abort; the toolset stays busy', async () => {
  const pending = deferred();
  const controller = new AbortController();
  const screen = new Screen();
  const client = clientOf(() => pending.promise);
  const running = screen.run(client, { signal: controller.signal });
  await settled();
  controller.abort();
  await assert.rejects(running, { name: 'AbortError' });
  await assert.rejects(screen.execute(call()), BusyError);
  assert.deepEqual(screen.toolset.close(), { status: 'draining' });
  pending.resolve(responseOf([message()]));
  await settled();
  assert.deepEqual(screen.toolset.close(), { status: 'closed' });
  assert.equal(listenersOf(controller.signal), 0);
});

test("a run's own signal counts before that of its request options", async () => {
  const [first, second] = [new AbortController().signal, new AbortController().signal];
  const signals = async (options) => {
    const seen = [];
    const screen = new Screen({ click: (_action, { signal }) => void seen.push(signal) });
    const client = clientOf(responseOf([call()]), responseOf([message()]));
    await screen.run(client, options);
    return [...client.requests.map(({ options: given }) => given), ...seen];
  };
  const requestOptions = { timeout: 5, signal: second };
  const given = await signals({ signal: first, requestOptions });
  assert.deepEqual(given, [{ timeout: 5, signal: first }, { timeout: 5, signal: first }, first]);
  assert.equal(given[0].signal, first);
  const own = await signals({ requestOptions });
  assert.equal(own[0], requestOptions);
  assert.equal(own[2], second);
  assert.deepEqual(await signals({}), [undefined, undefined, undefined]);
});
