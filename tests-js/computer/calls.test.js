/** One computer call from the wire to its output (C-2 … C-6). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ComputerToolset, ComputerUseError, ConfigurationError } from 'swingbridge';
import { call, CHECK, CLICK, DRAG, METHODS, MOVE, output, PICTURE, Screen } from './screen.js';

const SHOT = { type: 'screenshot' };

/** Fails with this code, outside a run. */
const stops = (code) => (error) => {
  assert.ok(error instanceof ComputerUseError && !(error instanceof TypeError), String(error));
  assert.deepEqual([error.code, error.response, error.name], [code, undefined, 'ComputerUseError']);
  return true;
};

test('actions run once each in order, and one screenshot follows', async () => {
  const screen = new Screen();
  const actions = [
    CLICK,
    { type: 'double_click', x: 1, y: 2, keys: null },
    DRAG,
    { type: 'keypress', keys: ['CTRL', 'A'] },
    MOVE,
    { type: 'scroll', x: 1, y: 2, scroll_x: 0, scroll_y: -5 },
    { type: 'type', text: 'x' },
    { type: 'wait' },
  ];
  assert.deepEqual(await screen.execute(call(actions)), output());
  assert.deepEqual(screen.log, [...METHODS, 'screenshot']);
  assert.deepEqual(screen.given, actions);
});

test('asynchronous methods are awaited one after the other', async () => {
  const log = [];
  const slow = (name) => async () => {
    log.push(`begin ${name}`);
    await new Promise((resolve) => setImmediate(resolve));
    log.push(`end ${name}`);
    return name === 'screenshot' ? PICTURE : undefined;
  };
  const names = [...METHODS, 'screenshot'];
  const driver = Object.fromEntries(names.map((name) => [name, slow(name)]));
  await new ComputerToolset(driver).execute(call([CLICK, MOVE]));
  const expected = ['click', 'move', 'screenshot'].flatMap((name) => [
    `begin ${name}`,
    `end ${name}`,
  ]);
  assert.deepEqual(log, expected);
});

test('screenshots inside a batch touch nothing', async () => {
  const screen = new Screen();
  await screen.execute(call([SHOT, CLICK, SHOT, MOVE, SHOT]), screen.review());
  assert.deepEqual(screen.log, [
    'before screenshot',
    'before click',
    'click',
    'before screenshot',
    'before move',
    'move',
    'before screenshot',
    'screenshot',
  ]);
});

test('a call of the older form', async () => {
  const screen = new Screen();
  const { actions, ...item } = call();
  assert.deepEqual(await screen.execute({ ...item, action: actions[0] }), output());
  assert.deepEqual(screen.log, ['click', 'screenshot']);
});

test('what a method returns does not count', async () => {
  const screen = new Screen({ click: () => Symbol('nothing') });
  assert.deepEqual(await screen.execute(call()), output());
});

test('all pending checks are acknowledged with exactly their three fields', async () => {
  const screen = new Screen();
  const checks = [{ ...CHECK, severity: 'high' }, { id: 'sc_2' }];
  const shown = await screen.execute(call([CLICK], { pending_safety_checks: checks }), {
    ...screen.approve(),
  });
  assert.deepEqual(shown, output(1, [CHECK, { id: 'sc_2', code: null, message: null }]));
  assert.deepEqual(screen.given[0], call([CLICK], { pending_safety_checks: checks }));
});

test('without a callback a call with checks does nothing', async () => {
  const screen = new Screen();
  const item = call([CLICK], { pending_safety_checks: [CHECK] });
  for (const options of [
    undefined,
    null,
    {},
    { approveSafetyChecks: undefined },
    screen.review(),
  ]) {
    await assert.rejects(screen.execute(item, options), stops('safety_not_approved'));
  }
  assert.deepEqual(screen.log, []);
});

for (const verdict of [false, undefined, null, 1, 'true', [true], new Boolean(true)]) {
  test(`only exactly true approves, not ${String(verdict)}`, async () => {
    const screen = new Screen();
    const item = call([CLICK], { pending_safety_checks: [CHECK] });
    const asynchronously = { approveSafetyChecks: async () => verdict };
    await assert.rejects(
      screen.execute(
        item,
        screen.approve(() => verdict),
      ),
      stops('safety_not_approved'),
    );
    await assert.rejects(screen.execute(item, asynchronously), stops('safety_not_approved'));
    await assert.rejects(
      screen.execute(
        call(),
        screen.review(() => verdict),
      ),
      stops('action_not_approved'),
    );
    assert.deepEqual(screen.log, ['approve', 'before click']);
  });
}

test('the final screenshot is asked for too', async () => {
  const screen = new Screen();
  const answers = [true, false];
  await assert.rejects(
    screen.execute(call(), { beforeAction: () => answers.shift() }),
    stops('action_not_approved'),
  );
  assert.deepEqual(screen.log, ['click']);
});

test('callbacks get the action, the call and the context', async () => {
  const screen = new Screen();
  const { pending_safety_checks: _checks, ...item } = call([{ ...CLICK, pressure: 3 }], {
    note: 1,
  });
  const seen = [];
  const options = {
    beforeAction(...args) {
      seen.push({ self: this, args });
      return true;
    },
  };
  await screen.execute(item, options);
  // A call of the newer form may leave the list out; callbacks see an empty one (C-8).
  const whole = { ...item, pending_safety_checks: [] };
  assert.deepEqual(
    seen.map(({ args }) => args),
    [
      [{ ...CLICK, pressure: 3 }, whole, { signal: undefined }],
      [{ type: 'screenshot' }, whole, { signal: undefined }],
    ],
  );
  assert.ok(seen.every(({ self }) => self === options));
  assert.deepEqual(screen.given, [{ ...CLICK, pressure: 3 }]);
});

test('every method is given a context', async () => {
  const seen = [];
  const names = [...METHODS, 'screenshot'];
  const note = (...args) => {
    seen.push(args.at(-1));
    return PICTURE;
  };
  const driver = Object.fromEntries(names.map((name) => [name, note]));
  const { signal } = new AbortController();
  await new ComputerToolset(driver).execute(call([CLICK, DRAG]), { signal });
  assert.equal(seen.length, 3);
  assert.ok(seen.every((context) => Object.keys(context).join() === 'signal'));
  assert.ok(seen.every((context) => context.signal === signal));
  assert.equal(new Set(seen).size, 3, 'each has a context of its own');
});

test('editing what was given changes nothing', async () => {
  const screen = new Screen();
  const item = call([DRAG], { pending_safety_checks: [CHECK], note: { deep: ['x'] } });
  const before = structuredClone(item);
  const options = {
    approveSafetyChecks(given) {
      given.pending_safety_checks[0].id = 'defaced';
      given.actions[0].path[0].x = 99;
      given.note.deep.push('defaced');
      return true;
    },
    beforeAction(action, given) {
      given.actions.length = 0;
      if (action.type === 'drag') {
        action.path.length = 0;
        action.keys.push('defaced');
      }
      return true;
    },
  };
  const shown = await screen.execute(item, options);
  assert.deepEqual(screen.given, [DRAG]);
  assert.deepEqual(shown, output(1, [CHECK]));
  screen.given[0].path[0].x = 99;
  assert.deepEqual(item, before);
});

test('a call that changes while it runs is the call that it was', async () => {
  const item = call([CLICK, MOVE]);
  const screen = new Screen({
    click() {
      item.actions[1].x = 99;
      item.actions.push(DRAG);
      item.call_id = 'defaced';
    },
  });
  assert.deepEqual(await screen.execute(item), output());
  assert.deepEqual(screen.given, [MOVE]);
});

test('unknown fields reach the driver, whatever their names', async () => {
  const screen = new Screen();
  const action = JSON.parse('{"type":"click","x":1,"y":2,"button":"left","__proto__":{"a":1}}');
  await screen.execute(call([{ ...MOVE, further: { deep: [1, null] } }]));
  await screen.execute({ ...call(), actions: [action] });
  assert.deepEqual(screen.given[0], { ...MOVE, further: { deep: [1, null] } });
  assert.equal(JSON.stringify(screen.given[1]), JSON.stringify(action));
  assert.equal(Object.getPrototypeOf(screen.given[1]), Object.prototype);
});

test('a double click without keys says that there are none', async () => {
  const screen = new Screen();
  await screen.execute(call([{ type: 'double_click', x: 1, y: 2 }]));
  assert.deepEqual(screen.given, [{ type: 'double_click', x: 1, y: 2, keys: null }]);
});

test('a screenshot may have both sources; other fields are dropped', async () => {
  const picture = { ...PICTURE, file_id: 'file_1', detail: 'high', note: 'x' };
  const screen = new Screen({ screenshot: async () => picture });
  const shown = await screen.execute(call());
  assert.deepEqual(shown.output, { ...PICTURE, file_id: 'file_1' });
  picture.image_url = 'defaced';
  assert.equal(shown.output.image_url, PICTURE.image_url);
});

test('a screenshot may be an instance with inherited fields', async () => {
  class Picture {
    type = 'computer_screenshot';
    get image_url() {
      return 'data:image/png;base64,AA==';
    }
  }
  const screen = new Screen({ screenshot: () => new Picture() });
  assert.deepEqual(await screen.execute(call()), output());
});

test('methods are those of construction, called on the driver', async () => {
  class Driver {
    #log = [];
    double_click() {}
    drag() {}
    keypress() {}
    move() {}
    scroll() {}
    type() {}
    wait() {}
    click() {
      this.#log.push('click');
    }
    screenshot() {
      this.#log.push('screenshot');
      return PICTURE;
    }
    get log() {
      return this.#log;
    }
  }
  const driver = new Driver();
  const toolset = new ComputerToolset(driver);
  driver.click = () => assert.fail('a later method');
  await toolset.execute(call());
  assert.deepEqual(driver.log, ['click', 'screenshot']);
});

test('all nine methods are needed', () => {
  const { driver } = new Screen();
  for (const name of [...METHODS, 'screenshot']) {
    for (const method of [undefined, null, 'no function']) {
      assert.throws(
        () => new ComputerToolset({ ...driver, [name]: method }),
        (error) => {
          assert.ok(error instanceof ConfigurationError && error instanceof TypeError);
          assert.equal(error.code, 'driver_incomplete');
          assert.match(error.message, new RegExp(`\\b${name}$`));
          return true;
        },
      );
    }
  }
  for (const none of [null, undefined, 'driver']) {
    assert.throws(() => new ComputerToolset(none), ConfigurationError);
  }
});

test('a callback that is no function is refused: it would never be asked', async () => {
  const screen = new Screen();
  for (const name of ['approveSafetyChecks', 'beforeAction']) {
    for (const value of [true, false, 0, {}]) {
      await assert.rejects(screen.execute(call(), { [name]: value }), {
        name: 'ConfigurationError',
        code: 'callback_invalid',
      });
    }
    await screen.execute(call(), { [name]: null });
  }
  assert.deepEqual(screen.log, Array(2).fill(['click', 'screenshot']).flat());
});

test('records have no content', async () => {
  const screen = new Screen();
  const records = [];
  await screen.execute(
    call([{ type: 'type', text: 'tr0ub4dor' }], { pending_safety_checks: [CHECK] }),
    { ...screen.approve(), ...screen.review(), onDiagnostic: (record) => records.push(record) },
  );
  assert.deepEqual(
    records.map(({ stage, reason, member }) => [stage, reason, member]),
    [
      ['approval', 'completed', null],
      ['approval', 'completed', 'type'],
      ['action', 'completed', 'type'],
      ['approval', 'completed', 'screenshot'],
      ['action', 'completed', 'screenshot'],
    ],
  );
  for (const record of records) {
    assert.deepEqual([record.api, record.call_id, record.usage], ['computer', 'call_1', null]);
    assert.ok(record.duration_ms >= 0);
  }
  assert.doesNotMatch(JSON.stringify(records), /tr0ub4dor/);
});

test('refusals, failures and aborts are told apart in the records', async () => {
  const reasons = async (options, methods = {}) => {
    const records = [];
    const screen = new Screen(methods);
    const onDiagnostic = ({ stage, reason, member }) =>
      records.push(`${stage} ${reason} ${member}`);
    await assert.rejects(screen.execute(call(), { ...options, onDiagnostic }));
    return records;
  };
  const fail = () => {
    throw new Error('tr0ub4dor');
  };
  const controller = new AbortController();
  const abort = () => controller.abort();
  assert.deepEqual(await reasons({ beforeAction: () => false }), ['approval refused click']);
  assert.deepEqual(await reasons({ beforeAction: fail }), ['approval policy_failed click']);
  assert.deepEqual(await reasons({}, { click: fail }), ['action driver_failed click']);
  assert.deepEqual(await reasons({}, { screenshot: () => 1 }), [
    'action completed click',
    'action driver_failed screenshot',
  ]);
  assert.deepEqual(await reasons({ signal: controller.signal }, { click: abort }), [
    'action cancelled click',
  ]);
});

test('an observer that fails or returns a promise changes nothing', async () => {
  const screen = new Screen();
  const fail = () => {
    throw new Error('observer');
  };
  for (const onDiagnostic of [fail, async () => fail()]) {
    assert.deepEqual(await screen.execute(call(), { onDiagnostic }), output());
  }
});

test('validate gives a copy of what may be executed, and refuses the rest', () => {
  const { pending_safety_checks: _checks, ...item } = call([{ ...CLICK, further: [1] }]);
  const copy = ComputerToolset.validate(item);
  assert.deepEqual(copy, item);
  assert.notEqual(copy, item);
  assert.notEqual(copy.actions[0].further, item.actions[0].further);
  for (const bad of [null, {}, { ...item, status: 'incomplete' }, { ...item, action: CLICK }]) {
    assert.throws(() => ComputerToolset.validate(bad), stops('computer_call_invalid'));
  }
});
