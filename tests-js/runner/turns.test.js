/** Turns, as who iterates sees them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigurationError, ResponsesToolRunner } from 'swingbridge';
import { deferred, isSettled, toolsetOf } from '../support.js';
import { clientOf, functionCall, lookup, message, responseOf } from './double.js';

const PARAMS = { model: 'm', input: 'go' };
const CALLS = responseOf([functionCall('lookup', {}, 'c1'), functionCall('lookup', {}, 'c2')]);
const END = responseOf([message()], { id: 'resp_end' });
const overridable = (execute) => ({ ...lookup(execute), allowOutputOverride: true });
const outputFor = (call_id, output = 'supplied') => ({
  type: 'function_call_output',
  call_id,
  output,
});
const outputsSent = ({ requests }) =>
  requests.at(-1).body.input.filter(({ type }) => type === 'function_call_output');

/** The refusal of a use of a turn. */
function refusal(use) {
  try {
    use();
  } catch (error) {
    assert.ok(error instanceof ConfigurationError && error instanceof TypeError, String(error));
    return error.code;
  }
  return 'accepted';
}

test('each turn comes before its work', async () => {
  const order = [];
  const runner = new ResponsesToolRunner({ functions: [lookup(() => (order.push('ran'), 'x'))] });
  const turns = [];
  for await (const turn of runner.iterate(clientOf(CALLS, END), PARAMS)) {
    order.push('turn');
    const { response, supplyOutputs, appendUserText, ...said } = turn;
    assert.equal(response, turns.length === 0 ? CALLS : END);
    assert.deepEqual([typeof supplyOutputs, typeof appendUserText], ['function', 'function']);
    turns.push(said);
  }
  assert.deepEqual(order, ['turn', 'ran', 'ran', 'turn']);
  const said = { toolsExecuted: false, toolsWithheld: false };
  assert.deepEqual(turns, [
    { ...said, step: 1, final: false, attemptedCallIds: [], completedCallIds: [] },
    {
      ...said,
      step: 2,
      final: true,
      attemptedCallIds: ['c1', 'c2'],
      completedCallIds: ['c1', 'c2'],
    },
  ]);
  assert.deepEqual(runner.close(), { status: 'closed' });
});

test('editing a turn or its response changes nothing', async () => {
  const response = structuredClone(CALLS);
  const ids = [];
  const runner = new ResponsesToolRunner({ functions: [lookup()] });
  const client = clientOf(response, END);
  for await (const turn of runner.iterate(client, PARAMS)) {
    if (turn.final) continue;
    turn.attemptedCallIds.push('x');
    response.output.pop();
    response.output[0].name = 'other';
    ids.push(...turn.completedCallIds);
  }
  assert.deepEqual(ids, []);
  assert.deepEqual(
    outputsSent(client).map(({ call_id }) => call_id),
    ['c1', 'c2'],
  );
});

test('nothing is read or begun before the first turn is asked for', async () => {
  const client = clientOf(END);
  const runner = new ResponsesToolRunner({});
  const turns = runner.iterate(client, PARAMS);
  assert.equal(client.requests.length, 0);
  await runner.run(clientOf(END), PARAMS);
  assert.equal((await turns.next()).value.final, true);
  await assert.rejects(runner.iterate(client, PARAMS).next(), { code: 'busy' });
  assert.deepEqual(await turns.next(), { done: true, value: undefined });
  await assert.rejects(runner.iterate(client, { model: 'm' }).next(), { code: 'input_invalid' });
});

for (const [how, leave] of Object.entries({
  break: async (turns) => {
    for await (const _turn of turns) break;
  },
  'an exception in the loop': async (turns) => {
    const error = new RangeError('mine');
    await assert.rejects(async () => {
      for await (const _turn of turns) throw error;
    }, error);
  },
  return: async (turns) => {
    await turns.next();
    assert.deepEqual(await turns.return(), { done: true, value: undefined });
  },
  throw: async (turns) => {
    await turns.next();
    const error = new RangeError('mine');
    await assert.rejects(turns.throw(error), error);
  },
})) {
  test(`${how} ends the run: nothing further runs and the runner is free`, async () => {
    const client = clientOf(CALLS, END);
    const runner = new ResponsesToolRunner({ functions: [lookup(() => assert.fail('ran'))] });
    const turns = runner.iterate(client, PARAMS);
    await leave(turns);
    assert.equal(client.requests.length, 1);
    assert.deepEqual(await turns.next(), { done: true, value: undefined });
    await runner.run(clientOf(END), PARAMS);
    assert.deepEqual(runner.close(), { status: 'closed' });
  });
}

test('an iteration that was never begun holds nothing', async () => {
  const runner = new ResponsesToolRunner({});
  const client = clientOf();
  await runner.iterate(client, PARAMS).return();
  assert.equal(client.requests.length, 0);
  assert.deepEqual(runner.close(), { status: 'closed' });
});

test('to leave while the work of a turn is under way waits for it', async () => {
  const work = deferred();
  const runner = new ResponsesToolRunner({ functions: [lookup(() => work.promise)] });
  const client = clientOf(CALLS, END);
  const turns = runner.iterate(client, PARAMS);
  await turns.next();
  const next = turns.next();
  const left = turns.return();
  assert.equal(await isSettled(left), false);
  assert.deepEqual(runner.close(), { status: 'draining' });
  work.resolve('x');
  assert.equal((await next).value.response, END);
  await left;
  assert.deepEqual(runner.close(), { status: 'closed' });
});

test('a stop comes out of the turn that follows, with the receipts', async () => {
  const runner = new ResponsesToolRunner({
    functions: [
      lookup(() => {
        throw new Error('secret');
      }),
    ],
  });
  const turns = runner.iterate(clientOf(CALLS), PARAMS);
  await turns.next();
  await assert.rejects(turns.next(), {
    name: 'ResponsesToolRunnerError',
    code: 'function_failed',
    attemptedCallIds: ['c1'],
    completedCallIds: [],
  });
  assert.deepEqual(await turns.next(), { done: true, value: undefined });
});

test('an abort while somebody looks at a turn ends the run before its work', async () => {
  const controller = new AbortController();
  const runner = new ResponsesToolRunner({ functions: [lookup(() => assert.fail('ran'))] });
  const turns = runner.iterate(clientOf(CALLS), PARAMS, { signal: controller.signal });
  await turns.next();
  controller.abort();
  await assert.rejects(turns.next(), { code: 'run_cancelled', attemptedCallIds: [] });
});

test('who looks at the last turn cannot cancel any more', async () => {
  const controller = new AbortController();
  const turns = new ResponsesToolRunner({}).iterate(clientOf(END), PARAMS, {
    signal: controller.signal,
  });
  await turns.next();
  controller.abort();
  assert.deepEqual(await turns.next(), { done: true, value: undefined });
});

test('supplied outputs take the place of calls, in output order, as copies', async () => {
  const ran = [];
  const execute = ({ n }) => (ran.push(n), `ran ${n}`);
  const client = clientOf(
    responseOf([1, 2, 3].map((n) => functionCall('lookup', { n }, `c${n}`))),
    END,
  );
  const blocks = [{ type: 'input_text', text: 'x'.repeat(1000) }];
  for await (const turn of new ResponsesToolRunner({ functions: [overridable(execute)] }).iterate(
    client,
    PARAMS,
  )) {
    if (turn.final) continue;
    const outputs = [outputFor('c3', blocks), outputFor('c1')];
    turn.supplyOutputs(outputs);
    blocks[0].text = 'changed';
    outputs.length = 0;
  }
  assert.deepEqual(ran, [2]);
  assert.deepEqual(outputsSent(client), [
    outputFor('c1'),
    outputFor('c2', 'ran 2'),
    outputFor('c3', [{ type: 'input_text', text: 'x'.repeat(1000) }]),
  ]);
});

test('supplied calls count as done', async () => {
  const runner = new ResponsesToolRunner({ functions: [overridable()] });
  const seen = [];
  for await (const turn of runner.iterate(clientOf(CALLS, END), PARAMS)) {
    if (!turn.final) turn.supplyOutputs([outputFor('c1')]);
    seen.push([turn.attemptedCallIds, turn.completedCallIds]);
  }
  assert.deepEqual(seen[1], [
    ['c1', 'c2'],
    ['c1', 'c2'],
  ]);
});

const hostile = {
  get call_id() {
    throw new Error('secret');
  },
};
for (const [what, outputs, code] of [
  ['no list', 'c1', 'supplied_outputs_malformed'],
  ['nothing', undefined, 'supplied_outputs_malformed'],
  ['a hole', [, outputFor('c1')], 'supplied_outputs_malformed'],
  ['no object', [5], 'supplied_outputs_malformed'],
  ['no call id', [{ ...outputFor('c1'), call_id: undefined }], 'supplied_outputs_malformed'],
  ['another type', [{ ...outputFor('c1'), type: 'message' }], 'supplied_outputs_malformed'],
  ['one more field', [{ ...outputFor('c1'), id: 'x' }], 'supplied_outputs_malformed'],
  ['no output', [{ ...outputFor('c1'), output: undefined }], 'supplied_outputs_malformed'],
  ['an invalid output', [outputFor('c1', [{ type: 'text' }])], 'supplied_outputs_malformed'],
  ['an unpaired surrogate', [outputFor('c1', '\ud800')], 'supplied_outputs_malformed'],
  ['a getter that throws', [hostile], 'supplied_outputs_malformed'],
  ['the same call twice', [outputFor('c1'), outputFor('c1')], 'supplied_output_twice'],
  ['an unknown call', [outputFor('c9')], 'supplied_output_not_allowed'],
  ['a function that allows none', [outputFor('c3')], 'supplied_output_not_allowed'],
  ['a browser call', [outputFor('c4')], 'supplied_output_not_allowed'],
]) {
  test(`supplied outputs with ${what} are refused and change nothing`, async () => {
    const plain = lookup(() => 'ran', { name: 'plain' });
    const browser = toolsetOf({ click() {} });
    const client = clientOf(
      responseOf([
        functionCall('lookup', {}, 'c1'),
        functionCall('plain', {}, 'c3'),
        functionCall('browser_click', { target: 'e1', tab_id: null }, 'c4'),
      ]),
      END,
    );
    const runner = new ResponsesToolRunner({
      browser,
      functions: [overridable(() => 'ran'), plain],
    });
    for await (const turn of runner.iterate(client, PARAMS)) {
      if (!turn.final)
        assert.equal(
          refusal(() => turn.supplyOutputs(outputs)),
          code,
        );
    }
    const [first, second] = outputsSent(client);
    assert.deepEqual([first.output, second.output], ['ran', 'ran']);
  });
}

test('words of a human follow the outputs of their turn', async () => {
  const client = clientOf(CALLS, END);
  for await (const turn of new ResponsesToolRunner({ functions: [lookup()] }).iterate(
    client,
    PARAMS,
  )) {
    if (turn.final) continue;
    turn.appendUserText('one');
    turn.appendUserText('two');
  }
  assert.deepEqual(client.requests[1].body.input.slice(-3), [
    outputFor('c2', 'found'),
    { role: 'user', content: 'one' },
    { role: 'user', content: 'two' },
  ]);
});

for (const text of [undefined, null, 5, '', ' \n', '\ud800', ['x'], { toString: () => 'x' }]) {
  test(`no words: ${JSON.stringify(text)}`, async () => {
    const client = clientOf(CALLS, END);
    for await (const turn of new ResponsesToolRunner({ functions: [lookup()] }).iterate(
      client,
      PARAMS,
    )) {
      const code = turn.final ? 'turn_final' : 'user_text_invalid';
      assert.equal(
        refusal(() => turn.appendUserText(text)),
        code,
      );
    }
    assert.equal(client.requests[1].body.input.length, 5);
  });
}

test('a turn takes nothing once it is over, also if another turn or run is open', async () => {
  const runner = new ResponsesToolRunner({ functions: [overridable()] });
  const turns = runner.iterate(clientOf(CALLS, CALLS_AGAIN, END), PARAMS);
  const { value: first } = await turns.next();
  await turns.next();
  const uses = [() => first.supplyOutputs([outputFor('d1')]), () => first.appendUserText('late')];
  for (const use of uses) assert.equal(refusal(use), 'turn_over');
  await turns.return();
  for (const use of uses) assert.equal(refusal(use), 'turn_over');
  const others = runner.iterate(clientOf(CALLS_AGAIN, END), PARAMS);
  await others.next();
  for (const use of uses) assert.equal(refusal(use), 'turn_over');
  await others.return();
});
const CALLS_AGAIN = responseOf([functionCall('lookup', {}, 'd1')]);

test('a final turn takes nothing', async () => {
  for await (const turn of new ResponsesToolRunner({}).iterate(clientOf(END), PARAMS)) {
    assert.equal(
      refusal(() => turn.supplyOutputs([])),
      'turn_final',
    );
    assert.equal(
      refusal(() => turn.appendUserText('x')),
      'turn_final',
    );
  }
});
