/** Cancelling with an AbortSignal (B-51). */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { BrowserToolset, BusyError, ConfigurationError } from 'swingbridge';
import { callOf, deferred, driverOf, isSettled, settled, toolsetOf } from '../support.js';

const listenersOf = (signal) => getEventListeners(signal, 'abort').length;

test('an abort before the call touches nothing and rethrows the reason', async () => {
  const toolset = new BrowserToolset(
    { state: () => assert.fail(), click: () => assert.fail() },
    {
      confirm: () => assert.fail(),
    },
  );
  for (const reason of [new Error('mine'), 'a text', 0, null]) {
    const thrown = await toolset
      .execute(callOf('click'), { signal: AbortSignal.abort(reason) })
      .then(assert.fail, (error) => error);
    assert.equal(thrown, reason);
  }
});

test('the signal reaches every callback unchanged', async () => {
  const { signal } = new AbortController();
  const seen = [];
  const note =
    (value) =>
    (...args) => {
      seen.push(args.at(-1));
      return value;
    };
  const toolset = new BrowserToolset(
    { state: note({ tabs: [] }), navigate: note(undefined) },
    { confirm: note(true), urlPolicy: note(true) },
  );
  await toolset.execute(callOf('navigate'), { signal });
  assert.equal(seen.length, 5);
  for (const context of seen) assert.deepEqual(Object.keys(context), ['signal']);
  assert.ok(seen.every((context) => context.signal === signal));
  assert.equal(new Set(seen).size, seen.length, 'each callback has a context of its own');
});

for (const where of ['state', 'urlPolicy', 'confirm', 'driver', 'second state']) {
  test(`an abort inside ${where} ends the call at that point`, async () => {
    const controller = new AbortController();
    const log = [];
    let states = 0;
    const step = (name, value) => () => {
      log.push(name);
      if (name === where) controller.abort(new Error('why'));
      return value;
    };
    const toolset = new BrowserToolset(
      {
        state: () => step((states += 1) > 1 ? 'second state' : 'state', { tabs: [] })(),
        navigate: step('driver'),
      },
      { confirm: step('confirm', true), urlPolicy: step('urlPolicy', true) },
    );
    const { signal } = controller;
    await assert.rejects(toolset.execute(callOf('navigate'), { signal }), { message: 'why' });
    assert.equal(log.at(-1), where);
    assert.equal(listenersOf(signal), 0);
    assert.deepEqual(toolset.close(), { status: 'closed' });
  });
}

test('an abort outranks every failure', async () => {
  for (const fails of [
    () => Promise.reject(new Error('late')),
    () => {
      throw new Error('late');
    },
    () => 5,
  ]) {
    const controller = new AbortController();
    const toolset = toolsetOf({
      click: () => {
        controller.abort('aborted');
        return fails();
      },
    });
    const thrown = await toolset
      .execute(callOf('click'), { signal: controller.signal })
      .then(assert.fail, (error) => error);
    assert.equal(thrown, 'aborted');
  }
});

test('a state that never settles ends with the abort, and the session stays busy', async () => {
  const controller = new AbortController();
  const state = deferred();
  const toolset = new BrowserToolset(driverOf({ state: () => state.promise }));
  const running = toolset.execute(callOf('list_tabs'), { signal: controller.signal });
  assert.equal(await isSettled(running), false);
  controller.abort(new Error('why'));
  await assert.rejects(running, { message: 'why' });
  assert.equal(listenersOf(controller.signal), 0);
  await assert.rejects(toolset.execute(callOf('list_tabs')), BusyError);
  assert.deepEqual(toolset.close(), { status: 'draining' });

  state.resolve({ tabs: [] });
  await settled();
  assert.deepEqual(toolset.close(), { status: 'closed' });
});

test('a state left alone may fail later without an unhandled rejection', async () => {
  const controller = new AbortController();
  const state = deferred();
  const toolset = new BrowserToolset(driverOf({ state: () => state.promise }));
  const running = toolset.execute(callOf('list_tabs'), { signal: controller.signal });
  controller.abort();
  await assert.rejects(running, { name: 'AbortError' });
  state.reject(new Error('late'));
  await settled();
  assert.deepEqual(toolset.close(), { status: 'closed' });
});

test('a state that was left alone in the second read is released as well', async () => {
  const controller = new AbortController();
  const second = deferred();
  const states = [{ tabs: [] }, second.promise, { tabs: [] }, { tabs: [] }];
  const toolset = toolsetOf({ state: () => states.shift(), click() {} });
  const running = toolset.execute(callOf('click'), { signal: controller.signal });
  await settled();
  controller.abort('why');
  assert.equal(await running.catch((error) => error), 'why');
  second.resolve({ tabs: [] });
  await settled();
  await toolset.execute(callOf('click'));
});

for (const where of ['confirm', 'click']) {
  test(`an abort waits for a pending ${where}`, async () => {
    const controller = new AbortController();
    const pending = deferred();
    const toolset = toolsetOf(
      { click: () => (where === 'click' ? pending.promise : undefined) },
      { confirm: () => (where === 'confirm' ? pending.promise : true) },
    );
    const running = toolset.execute(callOf('click'), { signal: controller.signal });
    await settled();
    controller.abort(new Error('why'));
    assert.equal(await isSettled(running), false);
    assert.deepEqual(toolset.close(), { status: 'draining' });
    pending.resolve(true);
    await assert.rejects(running, { message: 'why' });
    assert.deepEqual(toolset.close(), { status: 'closed' });
  });
}

test('many calls with one signal leave no listener and no warning', async () => {
  const warnings = [];
  const note = (warning) => warnings.push(warning);
  process.on('warning', note);
  const { signal } = new AbortController();
  const toolset = toolsetOf({ state: async () => ({ tabs: [] }), click: async () => undefined });
  for (let times = 0; times < 50; times += 1) {
    await toolset.execute(callOf('click'), { signal });
    assert.equal(listenersOf(signal), 0);
  }
  await settled();
  process.off('warning', note);
  assert.deepEqual(warnings, []);
});

/** A signal that works until it is broken. */
const fragileSignal = () => {
  const signal = { isBroken: false, removeEventListener: () => check(), reason: 'unread' };
  const check = (value) => {
    if (signal.isBroken) throw new Error('secret');
    return value;
  };
  signal.addEventListener = () => check();
  return Object.defineProperty(signal, 'aborted', { get: () => check(false) });
};

for (const signal of [
  5,
  'abort',
  {},
  { aborted: false },
  Object.assign(fragileSignal(), { isBroken: true }),
]) {
  test(`what is no signal (${typeof signal}) is refused before anything is touched`, async () => {
    const toolset = toolsetOf({ state: () => assert.fail(), click: () => assert.fail() });
    await assert.rejects(toolset.execute(callOf('click'), { signal }), ConfigurationError);
    await assert.rejects(toolset.executeWithStatus(callOf('click'), signal), ConfigurationError);
    assert.deepEqual(toolset.close(), { status: 'closed' });
  });
}

for (const where of ['state', 'confirm', 'click']) {
  test(`a signal that breaks in ${where} ends the call`, async () => {
    const signal = fragileSignal();
    const step = (name, value) => async () => {
      if (name === where) signal.isBroken = true;
      return value;
    };
    const toolset = toolsetOf(
      { state: step('state', { tabs: [] }), click: step('click') },
      { confirm: step('confirm', true) },
    );
    await assert.rejects(toolset.execute(callOf('click'), { signal }), { name: 'AbortError' });
    await settled();
    assert.deepEqual(toolset.close(), { status: 'closed' });
  });
}

test('a signal that takes no listener ends the call, and the session is free when the state is', async () => {
  const signal = fragileSignal();
  const state = deferred();
  const addEventListener = () => {
    throw new Error('secret');
  };
  const toolset = toolsetOf({ state: () => state.promise });
  const running = toolset.execute(callOf('list_tabs'), {
    signal: Object.assign(signal, { addEventListener }),
  });
  await assert.rejects(running, { name: 'AbortError' });
  assert.deepEqual(toolset.close(), { status: 'draining' });
  state.reject(new Error('late'));
  await settled();
  assert.deepEqual(toolset.close(), { status: 'closed' });
});

for (const signal of [undefined, new AbortController().signal]) {
  const how = signal === undefined ? 'without' : 'with';
  test(`a state promise that throws when it is looked at fails ${how} a signal`, async () => {
    const hostile = () =>
      Object.defineProperty(Promise.resolve({ tabs: [] }), 'constructor', {
        get() {
          throw new Error('secret');
        },
      });
    const toolset = toolsetOf({ state: hostile, click: () => assert.fail() });
    await assert.rejects(toolset.execute(callOf('click'), { signal }), (error) => {
      assert.equal(error.code, 'state_failed');
      assert.ok(!error.message.includes('secret'));
      return true;
    });
    assert.deepEqual(toolset.close(), { status: 'closed' });
  });
}
