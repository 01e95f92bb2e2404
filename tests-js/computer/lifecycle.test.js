/** One call or run at a time, and none after closing (B-50). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BusyError, ClosedError } from 'swingbridge';
import { clientOf, message, responseOf } from '../runner/double.js';
import { deferred, settled } from '../support.js';
import { call, CHECK, CLICK, output, PICTURE, Screen } from './screen.js';

const PLACES = ['approve', 'before', 'click', 'screenshot', 'observer'];
const CHECKED = call([CLICK], { pending_safety_checks: [CHECK] });

/** A screen and options of `execute` with `inside()` called once, at `place`. */
function screenThatCalls(place, inside) {
  let isDone = false;
  const reach = (here, value) => () => {
    if (here === place && !isDone) {
      isDone = true;
      inside();
    }
    return value;
  };
  const screen = new Screen({ click: reach('click'), screenshot: reach('screenshot', PICTURE) });
  const options = {
    approveSafetyChecks: reach('approve', true),
    beforeAction: reach('before', true),
    onDiagnostic: reach('observer'),
  };
  return { screen, options };
}

for (const place of PLACES) {
  test(`closing inside ${place} lets the call end and refuses the next one`, async () => {
    const statuses = [];
    const { screen, options } = screenThatCalls(place, () => statuses.push(screen.toolset.close()));
    assert.deepEqual(await screen.execute(CHECKED, options), output(1, [CHECK]));
    assert.deepEqual(statuses, [{ status: 'draining' }]);
    assert.deepEqual(screen.toolset.close(), { status: 'closed' });
    for (const again of [() => screen.execute(call()), () => screen.run(clientOf())]) {
      await assert.rejects(again, (error) => {
        assert.ok(error instanceof ClosedError && error instanceof TypeError);
        assert.equal(error.code, 'closed');
        return true;
      });
    }
  });

  test(`another call or run inside ${place} is refused`, async () => {
    const refused = [];
    const { screen, options } = screenThatCalls(place, () => {
      refused.push(
        assert.rejects(screen.execute(call()), BusyError),
        assert.rejects(screen.run(clientOf()), BusyError),
      );
    });
    assert.deepEqual(await screen.execute(CHECKED, options), output(1, [CHECK]));
    assert.equal(refused.length, 2);
    await Promise.all(refused);
  });
}

for (const [kind, click] of [
  ['synchronous', () => undefined],
  ['asynchronous', async () => undefined],
]) {
  test(`an overlapping call is refused with a ${kind} driver`, async () => {
    const screen = new Screen({ click });
    const [first, second] = await Promise.allSettled([
      screen.execute(call()),
      screen.execute(call()),
    ]);
    assert.deepEqual(first.value, output());
    assert.ok(second.reason instanceof BusyError && second.reason instanceof TypeError);
    assert.equal(second.reason.code, 'busy');
    assert.deepEqual(await screen.execute(call()), output());
  });
}

test('a run occupies the toolset between its calls too', async () => {
  const screen = new Screen();
  const refused = [];
  const answer = (response) => () => {
    refused.push(assert.rejects(screen.execute(call()), BusyError));
    return response;
  };
  await screen.run(clientOf(answer(responseOf([call()])), answer(responseOf([message()]))));
  assert.equal(refused.length, 2);
  await Promise.all(refused);
  assert.deepEqual(await screen.execute(call()), output());
});

test('closing during a run lets it end', async () => {
  const screen = new Screen();
  const close = () => {
    assert.deepEqual(screen.toolset.close(), { status: 'draining' });
    return responseOf([call()]);
  };
  const last = responseOf([message()]);
  assert.equal(await screen.run(clientOf(close, last)), last);
  assert.deepEqual(screen.toolset.close(), { status: 'closed' });
});

test('close says draining until a pending action is over', async () => {
  const click = deferred();
  const screen = new Screen({ click: () => click.promise });
  const running = screen.execute(call());
  await settled();
  assert.deepEqual(screen.toolset.close(), { status: 'draining' });
  click.resolve();
  assert.deepEqual(await running, output());
  assert.deepEqual(screen.toolset.close(), { status: 'closed' });
});

test('it is free after every refusal and failure', async () => {
  let isBroken = true;
  const screen = new Screen({
    click() {
      if (isBroken) throw new Error('broken');
    },
  });
  for (const item of [CHECKED, null, call()]) await assert.rejects(screen.execute(item));
  await assert.rejects(screen.run(clientOf(responseOf([]))));
  await assert.rejects(screen.run({}));
  await assert.rejects(screen.run(clientOf(), { maxSteps: 0 }));
  isBroken = false;
  assert.deepEqual(await screen.execute(call()), output());
});

test('closing never touches the driver', () => {
  const screen = new Screen({ close: () => assert.fail('closed the driver') });
  assert.deepEqual(screen.toolset.close(), { status: 'closed' });
  assert.deepEqual(screen.toolset.close(), { status: 'closed' });
});
