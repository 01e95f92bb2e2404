/** One call at a time, closing, and what a caller may change while a toolset lives (B-50). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BrowserToolset, BusyError, ClosedError } from 'swingbridge';
import { callOf, deferred, driverOf, payloadOf, toolsetOf } from '../support.js';

for (const [kind, click] of [
  ['synchronous', () => 'done'],
  ['asynchronous', async () => 'done'],
]) {
  test(`an overlapping call is refused with a ${kind} driver`, async () => {
    let clicks = 0;
    const toolset = toolsetOf({ click: () => ((clicks += 1), click()) });
    const [first, second] = await Promise.allSettled([
      toolset.execute(callOf('click')),
      toolset.execute(callOf('click')),
    ]);
    assert.equal(payloadOf(first.value).result, 'done');
    assert.ok(second.reason instanceof BusyError && second.reason instanceof TypeError);
    assert.equal(second.reason.code, 'busy');
    assert.equal(clicks, 1);
    await toolset.execute(callOf('click'));
    assert.equal(clicks, 2);
  });
}

test('a call inside a callback of a call is refused', async () => {
  let inner;
  const click = () => {
    inner = assert.rejects(toolset.execute(callOf('click')), BusyError);
  };
  const toolset = toolsetOf({ click });
  assert.equal(payloadOf(await toolset.execute(callOf('click'))).ok, true);
  await inner;
});

for (const where of ['state', 'urlPolicy', 'confirm', 'driver', 'observer']) {
  test(`closing in ${where} drains the call and refuses the next one`, async () => {
    const statuses = [];
    const close = (name, value) => () => {
      if (name === where) statuses.push(toolset.close().status);
      return value;
    };
    const toolset = new BrowserToolset(
      { state: close('state', { tabs: [] }), navigate: close('driver', undefined) },
      {
        confirm: close('confirm', true),
        urlPolicy: close('urlPolicy', true),
        onDiagnostic: close('observer', undefined),
      },
    );
    const output = await toolset.execute(callOf('navigate'));
    assert.equal(payloadOf(output).ok, true);
    assert.ok(statuses.length > 0);
    assert.deepEqual(new Set(statuses), new Set(['draining']));
    assert.deepEqual(toolset.close(), { status: 'closed' });
    await assert.rejects(toolset.execute(callOf('navigate')), ClosedError);
  });
}

test('closing never touches the driver', () => {
  const driver = driverOf({ close: () => assert.fail('closed the driver') });
  const toolset = new BrowserToolset(driver);
  assert.deepEqual(toolset.close(), { status: 'closed' });
  assert.deepEqual(toolset.close(), { status: 'closed' });
});

test('close says draining until a pending call is over', async () => {
  const click = deferred();
  const toolset = toolsetOf({ click: () => click.promise });
  const running = toolset.execute(callOf('click'));
  assert.deepEqual(toolset.close(), { status: 'draining' });
  click.resolve();
  await running;
  assert.deepEqual(toolset.close(), { status: 'closed' });
});

test('a call that throws leaves the toolset usable', async () => {
  const toolset = toolsetOf({ click: () => 5 });
  for (let times = 0; times < 3; times += 1) {
    await assert.rejects(toolset.execute(callOf('click')), { code: 'result_invalid' });
  }
});

test('callbacks and state are looked up at each call, methods are not', async () => {
  const driver = driverOf({ click: () => 'first' });
  const options = { confirm: () => false };
  const toolset = new BrowserToolset(driver, options);
  assert.equal(payloadOf(await toolset.execute(callOf('click'))).ok, false);

  options.confirm = () => true;
  driver.state = () => ({ tabs: [] });
  driver.click = () => 'second';
  const payload = payloadOf(await toolset.execute(callOf('click')));
  assert.deepEqual(payload, { ok: true, state: { tabs: [] }, result: 'first' });

  delete options.confirm;
  assert.equal(payloadOf(await toolset.execute(callOf('click'))).ok, false);
});

test('what changes during a call takes effect with the next one', async () => {
  const log = [];
  const note = (name, value) => () => (log.push(name), value);
  const driver = driverOf({ navigate: note('navigate') });
  driver.state = note('state', { tabs: [] });
  const options = {
    confirm: note('confirm', false),
    urlPolicy: () => {
      log.push('urlPolicy');
      driver.state = note('other state', { tabs: [] });
      options.confirm = note('other confirm', true);
      options.urlPolicy = note('other urlPolicy', true);
      return true;
    },
  };
  const toolset = new BrowserToolset(driver, options);
  assert.equal(payloadOf(await toolset.execute(callOf('navigate'))).ok, false);
  assert.deepEqual(log.splice(0), ['state', 'urlPolicy', 'confirm', 'state']);
  assert.equal(payloadOf(await toolset.execute(callOf('navigate'))).ok, true);
  assert.deepEqual(log, [
    'other state',
    'other urlPolicy',
    'other confirm',
    'navigate',
    'other state',
  ]);
});

test('a callback that cannot be read refuses', async () => {
  let isBroken = false;
  const options = {
    get confirm() {
      if (isBroken) throw new Error('secret');
      return () => true;
    },
  };
  const toolset = new BrowserToolset(driverOf({ click: () => assert.fail() }), options);
  isBroken = true;
  const payload = payloadOf(await toolset.execute(callOf('click')));
  assert.ok(payload.ok === false && !payload.error.includes('secret'));
});

test('the selection is copied at construction, the tools are made anew', () => {
  const members = ['click'];
  const toolset = toolsetOf({ click() {}, read_page() {} }, { members });
  members.push('read_page');
  const [tool, ...others] = toolset.tools();
  assert.equal(tool.name, 'browser_click');
  assert.equal(others.length, 0);
  tool.name = 'changed';
  tool.parameters.properties.target = 'changed';
  assert.equal(toolset.tools()[0].name, 'browser_click');
  assert.deepEqual(toolset.tools()[0].parameters.properties.target.type, 'string');
});

test('methods are called on the driver, with the context last', async () => {
  class Driver {
    log = [];
    state(...args) {
      this.log.push(['state', ...args]);
      return { tabs: [] };
    }
  }
  class Clicker extends Driver {
    click(...args) {
      this.log.push(['click', ...args]);
    }
  }
  const driver = new Clicker();
  const seen = [];
  const toolset = new BrowserToolset(driver, {
    confirm(...args) {
      seen.push(args);
      return true;
    },
  });
  await toolset.execute(callOf('click'));
  const context = { signal: undefined };
  assert.deepEqual(driver.log, [
    ['state', context],
    ['click', { target: 'e1', tab_id: null }, context],
    ['state', context],
  ]);
  assert.equal(seen[0].length, 2);
  assert.deepEqual(seen[0][1], context);
  assert.ok('signal' in seen[0][1]);
});
