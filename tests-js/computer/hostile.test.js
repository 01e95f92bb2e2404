/** Input that breaks the rules stops before anything is touched, with a documented error and no leak. */
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { test } from 'node:test';
import { ComputerUseError } from 'swingbridge';
import { call, CHECK, CLICK, DRAG, MOVE, output, PICTURE, Screen, thrownBy } from './screen.js';

const SECRET = 'tr0ub4dor';

/** Fails however it is looked at. */
const fail = () => {
  throw new Error(SECRET);
};
const VICIOUS = new Proxy(
  {},
  { get: fail, has: fail, ownKeys: fail, getOwnPropertyDescriptor: fail, getPrototypeOf: fail },
);

const without = (item, ...names) =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));

function cyclic() {
  const item = call();
  item.itself = item;
  return item;
}

function deep(levels) {
  let value = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return call([CLICK], { deep: value });
}

const click = (fields) => call([{ ...CLICK, ...fields }]);
const CALLS = {
  null: null,
  undefined: undefined,
  'a text': 'computer_call',
  'a list': [],
  'a function': () => call(),
  'a proxy': VICIOUS,
  'a cycle': cyclic(),
  'a deep one': deep(300),
  'a very deep one': deep(100_000),
  'one whose getter fails': Object.defineProperty(call(), 'actions', {
    get: fail,
    enumerable: true,
  }),
  'a large integer in it': call([CLICK], { big: 1n }),
  'no id': without(call(), 'id'),
  'no call_id': without(call(), 'call_id'),
  'no status': without(call(), 'status'),
  'no type': without(call(), 'type'),
  'no actions': without(call(), 'actions'),
  'not completed': call([CLICK], { status: 'in_progress' }),
  'both forms': call([CLICK], { action: CLICK }),
  'both forms, one null': call([CLICK], { action: null }),
  'the older form without a list of checks': without(
    call([], { action: CLICK }),
    'actions',
    'pending_safety_checks',
  ),
  'an empty batch': call([]),
  'null actions': { ...call(), actions: null },
  'an action that is null': { ...call(), actions: [null] },
  'actions with a hole': { ...call(), actions: [CLICK, , MOVE] },
  'actions like a list': { ...call(), actions: { 0: CLICK, length: 1 } },
  'null checks': call([CLICK], { pending_safety_checks: null }),
  'a check that is null': call([CLICK], { pending_safety_checks: [null] }),
  'a check without a text id': call([CLICK], { pending_safety_checks: [{ id: 1 }] }),
  'an unknown action': call([{ type: 'fly' }]),
  'an action named like a member of every object': call([{ type: 'constructor' }]),
  'an action without a type': call([{ type: null }]),
  'a boolean coordinate': click({ x: true }),
  'a broken coordinate': click({ x: 1.5 }),
  'a coordinate that is not a number': click({ x: NaN }),
  'an infinite coordinate': click({ x: Infinity }),
  'a coordinate in text': click({ x: '1' }),
  'a boxed coordinate': { ...call(), actions: [{ ...CLICK, x: new Number(1) }] },
  'a coordinate too large to be exact': click({ x: 1e300 }),
  'a missing coordinate': call([without(CLICK, 'y')]),
  'a button of another name': click({ button: 'middle' }),
  'keys that are no list': click({ keys: 'CTRL' }),
  'a key that is no text': click({ keys: [1] }),
  'a path that is none': call([{ ...DRAG, path: null }]),
  'a point without y': call([{ ...DRAG, path: [{ x: 1 }] }]),
  'half a character': call([{ type: 'type', text: '\ud800' }]),
  'half a character in the call id': call([CLICK], { call_id: '\udc00' }),
  'a keypress without keys': call([{ type: 'keypress' }]),
  'one bad action among good ones': call([CLICK, { type: 'fly' }]),
};

for (const [name, item] of Object.entries(CALLS)) {
  test(`a call that is none: ${name}`, async () => {
    const screen = new Screen();
    const options = { ...screen.approve(), ...screen.review() };
    const { error } = await thrownBy(() => screen.execute(item, options));
    assert.ok(error instanceof ComputerUseError, String(error));
    assert.equal(error.code, 'computer_call_invalid');
    assert.doesNotMatch(inspect(error), new RegExp(SECRET));
    assert.deepEqual(screen.log, []);
    assert.deepEqual(await screen.execute(call()), output());
  });
}

test('a call with much in it that no rule reads is executed', async () => {
  const screen = new Screen();
  const further = { when: new Date(0), how: () => 1, none: undefined, not: NaN };
  assert.deepEqual(
    await screen.execute({ ...call(), actions: [{ ...CLICK, ...further }] }),
    output(),
  );
  // What JSON cannot say is left out or written as JSON would.
  assert.deepEqual(Object.keys(screen.given[0]), ['type', 'x', 'y', 'button', 'when', 'not']);
});

const PICTURES = {
  null: null,
  undefined: undefined,
  true: true,
  'a text': PICTURE.image_url,
  bytes: new TextEncoder().encode('bytes'),
  'a list': [PICTURE],
  'an empty object': {},
  'no source': { type: 'computer_screenshot' },
  'an image for a browser': { ...PICTURE, type: 'input_image' },
  'no type': without(PICTURE, 'type'),
  'an empty address': { ...PICTURE, image_url: '' },
  'a blank address': { ...PICTURE, image_url: ' \n\t\ufeff\u0085' },
  'a long blank address': { ...PICTURE, image_url: ' '.repeat(1_000_000) },
  'a null address beside a file': { ...PICTURE, image_url: null, file_id: 'f' },
  'a null file beside an address': { ...PICTURE, file_id: null },
  'an address that is a number': { ...PICTURE, image_url: 1 },
  'a boxed address': { ...PICTURE, image_url: new String('data:,x') },
  'half a character': { ...PICTURE, image_url: '\ud800' },
  'an empty file id': { ...PICTURE, file_id: '' },
  'a getter that fails': Object.defineProperty({ ...PICTURE }, 'file_id', { get: fail }),
  'a proxy': VICIOUS,
};

for (const [name, picture] of Object.entries(PICTURES)) {
  // Returned in an object, because a promise may not look at a vicious value.
  test(`a screenshot that is none: ${name}`, async () => {
    const screen = new Screen({ screenshot: () => picture });
    const item = call([CLICK], { pending_safety_checks: [CHECK] });
    const { error } = await thrownBy(() => screen.execute(item, screen.approve()));
    if (picture === VICIOUS) {
      // Whether it is a promise cannot be asked, so the method has failed, with its own error.
      assert.equal(error.message, SECRET);
    } else {
      assert.ok(error instanceof ComputerUseError, String(error));
      assert.equal(error.code, 'screenshot_invalid');
      assert.doesNotMatch(inspect(error), new RegExp(SECRET));
    }
    assert.deepEqual(screen.log, ['approve', 'click']);
  });
}

const PLACES = {
  approve: [],
  before: ['approve'],
  click: ['approve', 'before click'],
  screenshot: ['approve', 'before click', 'click', 'before screenshot'],
};

for (const [place, log] of Object.entries(PLACES)) {
  for (const [how, raise] of [
    [
      'thrown',
      (error) => () => {
        throw error;
      },
    ],
    ['rejected', (error) => () => Promise.reject(error)],
  ]) {
    test(`what is ${how} in ${place} comes out as it is`, async () => {
      for (const error of [new RangeError(SECRET), 'a text', null, 0]) {
        const bad = raise(error);
        const screen = new Screen(['click', 'screenshot'].includes(place) ? { [place]: bad } : {});
        const options = {
          ...(place === 'approve' ? { approveSafetyChecks: bad } : screen.approve()),
          ...(place === 'before' ? { beforeAction: bad } : screen.review()),
        };
        const item = call([CLICK], { pending_safety_checks: [CHECK] });
        const thrown = await thrownBy(() => screen.execute(item, options));
        assert.equal(thrown.error, error);
        assert.deepEqual(screen.log, log);
      }
    });
  }
}

test('nothing that was thrown still gives an error', async () => {
  const screen = new Screen({
    click() {
      throw undefined;
    },
  });
  const { error } = await thrownBy(() => screen.execute(call()));
  assert.equal(error.code, 'action_failed');
});

test('later actions do not run after a failure', async () => {
  const screen = new Screen({ drag: fail });
  await assert.rejects(screen.execute(call([CLICK, DRAG, MOVE])), { message: SECRET });
  assert.deepEqual(screen.log, ['click']);
});
