/** The Playwright computer driver on a real page (D-2). */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { ComputerToolset, ConfigurationError } from 'swingbridge';
import { PlaywrightComputerDriver } from 'swingbridge/drivers/playwright-computer';
import { RECORDER, refusal, useDesk } from './desk.js';
import { call } from './screen.js';

const desk = useDesk();
const LEFT = { x: 1, y: 1, button: 'left' };

for (const [button, number, kind] of [
  ['left', 0, 'click'],
  ['wheel', 1, 'auxclick'],
  ['right', 2, 'contextmenu'],
]) {
  test(`clicks with the ${button} button`, async () => {
    await desk.open();
    await desk.act('click', { x: 123, y: 234, button });
    const [event, ...more] = await desk.events(kind);
    assert.deepEqual([event.x, event.y, event.button, event.held], [123, 234, number, []]);
    assert.equal(more.length, 0);
  });
}

test('a double click is one', async () => {
  await desk.open();
  await desk.act('double_click', { x: 50, y: 60, keys: null });
  const [event] = await desk.events('dblclick');
  assert.deepEqual([event.x, event.y], [50, 60]);
  assert.equal((await desk.events('click')).length, 2);
});

test('a move presses nothing', async () => {
  await desk.open();
  await desk.act('move', { x: 5, y: 6 });
  const moves = await desk.events('mousemove');
  assert.deepEqual(
    moves.map(({ x, y }) => [x, y]),
    [[5, 6]],
  );
  assert.deepEqual(await desk.events('mousedown'), []);
});

test('a drag holds the button along its path', async () => {
  await desk.open();
  await desk.drag([
    [10, 20],
    [110, 120],
    [210, 20],
  ]);
  const order = (await desk.events('mousedown', 'mouseup', 'mousemove')).map(({ kind }) => kind);
  assert.deepEqual(order, ['mousemove', 'mousedown', ...Array(10).fill('mousemove'), 'mouseup']);
  const [down] = await desk.events('mousedown');
  const [up] = await desk.events('mouseup');
  assert.deepEqual([down.x, down.y, up.x, up.y], [10, 20, 210, 20]);
  assert.ok((await desk.events('mousemove')).some(({ x, y }) => x === 110 && y === 120));
});

for (const points of [[], [[1, 1]]]) {
  test(`a drag needs two points, not ${points.length}`, async () => {
    await desk.open();
    await assert.rejects(desk.drag(points), refusal('drag_path_too_short'));
    assert.deepEqual(await desk.events(), []);
  });
}

test('a path is checked before anything is pressed', async () => {
  await desk.open();
  const points = [
    [10, 20],
    [900, 20],
  ];
  await assert.rejects(desk.drag(points, { keys: ['SHIFT'] }), refusal('point_outside_screenshot'));
  assert.deepEqual(await desk.events(), []);
});

test('scrolls what is at the point', async () => {
  await desk.open();
  await desk.act('scroll', { x: 400, y: 300, scroll_x: 30, scroll_y: 200 });
  await desk.until(async () => String(await desk.page.evaluate('[scrollX, scrollY]')) === '30,200');
  const [event] = await desk.events('wheel');
  assert.deepEqual([event.x, event.y, event.across, event.down], [400, 300, 30, 200]);
  await desk.act('scroll', { x: 400, y: 300, scroll_x: 0, scroll_y: -150 });
  await desk.until(async () => (await desk.page.evaluate('scrollY')) === 50);
});

test('back and forward go through the history', async () => {
  await desk.open();
  await desk.page.goto('about:blank');
  await desk.act('click', { ...LEFT, button: 'back' });
  assert.equal(await desk.page.title(), 'recorder');
  await desk.act('click', { ...LEFT, button: 'forward' });
  assert.equal(desk.page.url(), 'about:blank');
  await assert.rejects(
    desk.act('click', { ...LEFT, button: 'back', keys: ['CTRL'] }),
    refusal('button_with_keys_unsupported'),
  );
  assert.equal(desk.page.url(), 'about:blank');
});

test('a chord goes down in order and up in reverse', async () => {
  await desk.open();
  await desk.act('keypress', { keys: ['CTRL', 'SHIFT', 'ARROWLEFT'] });
  assert.deepEqual(await desk.keys(), [
    '+Control',
    '+Shift',
    '+ArrowLeft',
    '-ArrowLeft',
    '-Shift',
    '-Control',
  ]);
});

test('select all and replace', async () => {
  await desk.open();
  await desk.act('click', { x: 310, y: 30, button: 'left' });
  await desk.act('type', { text: 'an old text' });
  await desk.act('keypress', { keys: ['CTRL', 'A'] });
  await desk.act('type', { text: `Grüße,\r\n日本👍🏽\n${'long '.repeat(60)}` });
  const value = await desk.page.inputValue('#field');
  assert.equal(value, `Grüße,\n日本👍🏽\n${'long '.repeat(60)}`);
});

for (const [name, key] of [
  ['Esc', 'Escape'],
  ['RETURN', 'Enter'],
  ['Del', 'Delete'],
  ['PGDN', 'PageDown'],
  ['Option', 'Alt'],
  ['CMD', 'Meta'],
  ['Win', 'Meta'],
  ['F12', 'F12'],
  ['a', 'a'],
  ['7', '7'],
  ['Space', ' '],
  ['plus', '+'],
]) {
  test(`the key ${name} is ${key}`, async () => {
    await desk.open();
    await desk.act('keypress', { keys: [name] });
    assert.deepEqual(await desk.keys(), [`+${key}`, `-${key}`]);
  });
}

test('a character beyond the keyboard is typed', async () => {
  await desk.open();
  await desk.act('click', { x: 310, y: 30, button: 'left' });
  await desk.act('keypress', { keys: ['É'] });
  assert.equal(await desk.page.inputValue('#field'), 'É');
});

for (const [keys, code] of [
  [['Hyper'], 'key_unknown'],
  [[], 'keys_empty'],
  [['F13'], 'key_unsupported'],
  [['CTRL', 'É'], 'key_unsupported'],
]) {
  test(`other keys are refused before any goes down: ${keys}`, async () => {
    await desk.open();
    await assert.rejects(desk.act('keypress', { keys }), refusal(code));
    assert.deepEqual(await desk.events(), []);
  });
}

for (const [kind, fields, event] of [
  ['click', { button: 'left' }, 'click'],
  ['double_click', {}, 'dblclick'],
  ['move', {}, 'mousemove'],
  ['scroll', { scroll_x: 0, scroll_y: 1 }, 'wheel'],
]) {
  test(`keys are held during ${kind}`, async () => {
    await desk.open();
    await desk.act(kind, { x: 9, y: 9, ...fields, keys: ['ALT', 'SHIFT'] });
    await desk.until(async () => (await desk.events(event)).length > 0);
    assert.deepEqual((await desk.events(event)).at(-1).held, ['altKey', 'shiftKey']);
    assert.deepEqual(await desk.keys(), ['+Alt', '+Shift', '-Shift', '-Alt']);
    await desk.act('click', { x: 20, y: 20, button: 'left', keys: [] });
    assert.deepEqual((await desk.events('click')).at(-1).held, []);
  });
}

/** Keys and button are let go of, in reverse order, whatever ends the action. */
const EVERYTHING_UP = ['mouseup', '-Shift', '-Control'];
const PATH = [
  [10, 10],
  [90, 10],
  [90, 90],
];
const HELD = { keys: ['CTRL', 'SHIFT'] };

async function ups() {
  const events = await desk.events('mouseup', 'keyup');
  return events.map(({ kind, key }) => (kind === 'mouseup' ? kind : `-${key}`));
}

/** Wraps a method of the mouse or the keyboard for one action. */
async function during(part, name, replacement, work) {
  const real = part[name].bind(part);
  part[name] = (...args) => replacement(real, ...args);
  try {
    await work();
  } finally {
    delete part[name];
  }
}

test('an abort at any step of a drag lets everything go', async () => {
  await desk.open();
  await desk.screenshot();
  const { keyboard, mouse } = desk.page;
  const reason = new Error('why');
  let isWhole = false;
  for (let stop = 1; !isWhole; stop += 1) {
    await desk.forget();
    const controller = new AbortController();
    let count = 0;
    // Aborted inside the step of that number, which then ends as it would have.
    const counting = (real, ...args) => {
      count += 1;
      if (count === stop) controller.abort(reason);
      return real(...args);
    };
    const drag = () => desk.drag(PATH, HELD, { signal: controller.signal });
    await during(keyboard, 'down', counting, () =>
      during(mouse, 'down', counting, () =>
        during(mouse, 'move', counting, async () => {
          if (stop === 7) isWhole = true;
          if (isWhole) await drag();
          else await assert.rejects(drag(), (error) => error === reason);
        }),
      ),
    );
    const downs = await desk.events('mousedown', 'keydown');
    const wanted = ['mousedown', 'Shift', 'Control'].map((name) =>
      downs.some(({ kind, key }) => kind === name || key === name),
    );
    assert.deepEqual(
      await ups(),
      EVERYTHING_UP.filter((_, index) => wanted[index]),
    );
    assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
    assert.equal(count, Math.min(stop, 6));
  }
});

test('an abort in the middle of a drag through a toolset lets everything go', async () => {
  await desk.open();
  await desk.screenshot();
  const controller = new AbortController();
  const toolset = new ComputerToolset(desk.driver);
  const path = PATH.map(([x, y]) => ({ x, y }));
  let moves = 0;
  const abortOnThird = (real, ...args) => {
    moves += 1;
    if (moves === 2) controller.abort();
    return real(...args);
  };
  await during(desk.page.mouse, 'move', abortOnThird, () =>
    assert.rejects(
      toolset.execute(call([{ type: 'drag', path, ...HELD }]), { signal: controller.signal }),
      { name: 'AbortError' },
    ),
  );
  assert.deepEqual(await ups(), EVERYTHING_UP);
  assert.deepEqual(toolset.close(), { status: 'closed' });
});

test('a failure of the page lets everything go, and is what is thrown', async () => {
  await desk.open();
  await desk.screenshot();
  let moves = 0;
  const breakOnThird = (real, ...args) => {
    moves += 1;
    return moves === 3 ? Promise.reject(new Error('the mouse broke')) : real(...args);
  };
  await during(desk.page.mouse, 'move', breakOnThird, () =>
    assert.rejects(desk.drag(PATH, HELD), { message: 'the mouse broke' }),
  );
  assert.deepEqual(await ups(), EVERYTHING_UP);
});

test('a key that does not come up does not keep the others down', async () => {
  await desk.open();
  const stuck = (real, key) => (key === 'Shift' ? Promise.reject(new Error('stuck')) : real(key));
  await during(desk.page.keyboard, 'up', stuck, () =>
    assert.rejects(desk.act('click', { ...LEFT, ...HELD }), { message: 'stuck' }),
  );
  assert.deepEqual(await desk.keys(), ['+Control', '+Shift', '-Control']);
});

test('a page that does not take input holds the driver for its limit alone', async () => {
  await desk.open(RECORDER, { stepMs: 50 });
  await desk.screenshot();
  const never = () => new Promise(() => undefined);
  await during(desk.page.mouse, 'click', never, () =>
    assert.rejects(desk.act('click', { ...LEFT, ...HELD }), refusal('input_timeout')),
  );
  assert.deepEqual(await desk.keys(), ['+Control', '+Shift', '-Shift', '-Control']);
});

test('an abort between pieces of a long text ends the typing', async () => {
  await desk.open();
  await desk.act('click', { x: 310, y: 30, button: 'left' });
  const controller = new AbortController();
  const abort = (real, ...args) => {
    controller.abort();
    return real(...args);
  };
  await during(desk.page.keyboard, 'type', abort, () =>
    assert.rejects(desk.act('type', { text: 'x'.repeat(5_000) }, { signal: controller.signal }), {
      name: 'AbortError',
    }),
  );
  assert.equal(await desk.page.inputValue('#field'), 'x'.repeat(100));
});

test('a wait takes the time that was set, and an abort ends it', async () => {
  await desk.open(RECORDER, { waitMs: 200 });
  const before = performance.now();
  await desk.act('wait');
  assert.ok(performance.now() - before >= 190);
  await desk.open(RECORDER, { waitMs: 30_000 });
  const controller = new AbortController();
  const waiting = desk.act('wait', {}, { signal: controller.signal });
  const reason = new Error('why');
  controller.abort(reason);
  await assert.rejects(waiting, (error) => error === reason);
  assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
});

test('nothing is done after an abort', async () => {
  await desk.open();
  const context = { signal: AbortSignal.abort() };
  const point = { x: 1, y: 1 };
  for (const [type, fields] of [
    ['click', LEFT],
    ['click', { ...LEFT, button: 'back' }],
    ['double_click', point],
    ['move', point],
    ['scroll', { ...point, scroll_x: 0, scroll_y: 1 }],
    ['keypress', { keys: ['a'] }],
    ['type', { text: 'a' }],
    ['wait', {}],
  ]) {
    await assert.rejects(desk.act(type, fields, context), { name: 'AbortError' });
  }
  await assert.rejects(desk.driver.screenshot(context), { name: 'AbortError' });
  assert.deepEqual(await desk.events(), []);
});

for (const options of [
  { scale: 'big' },
  { waitMs: -1 },
  { waitMs: 30_001 },
  { settleMs: 0.5 },
  { stepMs: 0 },
  { crop: [0, 0, 0, 10] },
  { crop: [-1, 0, 10, 10] },
  { crop: [0.5, 0, 10, 10] },
  { maxSize: [0, 10] },
]) {
  test(`a setting out of its range: ${JSON.stringify(options)}`, () => {
    assert.throws(
      () => new PlaywrightComputerDriver({}, options),
      (error) => error instanceof ConfigurationError && error.code === 'driver_option_invalid',
    );
  });
}
