/** Runs on the native client, whose history stays text. */
import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { test } from 'node:test';
import {
  ComputerToolset,
  functionTool,
  RateLimitError,
  ResponsesToolRunner,
  ResponsesToolRunnerError,
  runnerFunction,
} from 'swingbridge';
import { functionCall, lookup, message, responseOf } from '../runner/double.js';
import { deferred, IMAGE, toolsetOf } from '../support.js';
import { beginStream, eventText, reasonOf, say, serviceFor } from './service.js';

const PARAMS = { model: 'm', input: 'Book a table.' };
const DONE = responseOf([message('Booked.')]);

/** Answers the requests of a run with these bodies, one after another. */
async function answering(test, ...bodies) {
  return serviceFor(test, (_request, response) =>
    say(response, bodies.shift(), { headers: { 'x-request-id': 'req_1' } }),
  );
}

/** As `answering`, with the events of responses. */
async function streaming(test, ...responses) {
  return serviceFor(test, (_request, response) => {
    beginStream(response);
    const events = eventsOf(responses.shift());
    response.end(`${events.map(eventText).join('')}data: [DONE]\n\n`);
  });
}

function eventsOf(response) {
  const done = response.output.map((item, output_index) => ({
    type: 'response.output_item.done',
    output_index,
    item,
  }));
  return [{ type: 'response.created' }, ...done, { type: 'response.completed', response }];
}

test('items go back as they came, digit for digit', async (t) => {
  const item =
    '{"type":"function_call","id":"fc_1","call_id":"c1","name":"lookup","arguments":"{\\"day\\": 1.0}",' +
    '"status":"completed","new":[1.0,12345678901234567890, 1e2,"\\u00e9"]}';
  const bodies = [`{"id":"r1","status":"completed","output":[ ${item} ]}`, JSON.stringify(DONE)];
  const service = await answering(t, ...bodies);
  const runner = new ResponsesToolRunner({ functions: [lookup(() => 'free')] });
  const response = await runner.run(service.client(), PARAMS);
  assert.equal(response.output_text, 'Booked.');
  const { text } = service.requests[1];
  assert.ok(text.includes(item), text);
  assert.ok(text.includes('{"type":"function_call_output","call_id":"c1","output":"free"}'));
});

test('the response is as the client gives it', async (t) => {
  const service = await answering(t, DONE, DONE);
  const client = service.client();
  const response = await new ResponsesToolRunner({}).run(client, PARAMS);
  const plain = await client.responses.create(PARAMS);
  assert.deepEqual(response, plain);
  assert.equal(response._request_id, 'req_1');
  assert.equal(response.output_text, 'Booked.');
});

test('outputs of every kind are laid out', async (t) => {
  const picture = 'A'.repeat(1000);
  const browser = toolsetOf({
    screenshot: () => ({ type: 'input_image', image_url: `data:,${picture}`, file_id: 'file_1' }),
    click() {},
  });
  const blocks = [
    { type: 'input_text', text: 'é🍜"' },
    { type: 'input_image', image_url: `data:,${picture}` },
  ];
  const calls = [
    functionCall('browser_click', { target: 'e1', tab_id: null }, 'c1'),
    functionCall('browser_screenshot', { tab_id: null }, 'c2'),
    functionCall('lookup', { day: 1 }, 'c3'),
  ];
  const service = await answering(t, responseOf(calls), DONE);
  const runner = new ResponsesToolRunner({ browser, functions: [lookup(() => blocks)] });
  await runner.run(service.client(), PARAMS);
  const { input, tools } = service.requests[1].body;
  assert.deepEqual(input.slice(0, 4), [{ role: 'user', content: 'Book a table.' }, ...calls]);
  assert.deepEqual(
    input.slice(4).map(({ type, call_id }) => [type, call_id]),
    ['c1', 'c2', 'c3'].map((id) => ['function_call_output', id]),
  );
  const [, shot, found] = input.slice(4);
  assert.equal(JSON.parse(shot.output[0].text).ok, true);
  assert.deepEqual(shot.output[1], {
    type: 'input_image',
    image_url: `data:,${picture}`,
    file_id: 'file_1',
  });
  assert.deepEqual(found.output, blocks);
  assert.equal(tools.length, browser.tools().length + 1);
});

test('a computer has its loop on the native client', async (t) => {
  const call = {
    type: 'computer_call',
    id: 'cu_1',
    call_id: 'c1',
    status: 'completed',
    pending_safety_checks: [{ id: 's1', code: 'c', message: 'm' }],
    actions: [{ type: 'click', x: 1, y: 2, button: 'left', extra: 'kept' }],
  };
  const seen = [];
  const driver = new Proxy(
    {},
    {
      get: (_target, name) => async (action) => {
        seen.push([name, action]);
        return name === 'screenshot' ? { ...IMAGE, type: 'computer_screenshot' } : undefined;
      },
    },
  );
  const service = await answering(t, responseOf([call]), DONE);
  const approveSafetyChecks = (asked) => {
    assert.deepEqual(asked, call);
    return true;
  };
  const toolset = new ComputerToolset(driver);
  const response = await toolset.run(service.client(), PARAMS, { approveSafetyChecks });
  assert.equal(response.output_text, 'Booked.');
  assert.deepEqual(seen[0], ['click', call.actions[0]]);
  const [, sent, output] = service.requests[1].body.input;
  assert.deepEqual(sent, call);
  assert.deepEqual(output, {
    type: 'computer_call_output',
    call_id: 'c1',
    output: { type: 'computer_screenshot', image_url: IMAGE.image_url },
    acknowledged_safety_checks: call.pending_safety_checks,
  });
  assert.deepEqual(service.requests[1].body.tools, [{ type: 'computer' }]);
});

/** A function whose arguments a schema parses, in its own time. */
function typed(run) {
  const validate = async (value) =>
    value.day < 1
      ? { issues: [{ message: 'no such day' }] }
      : { value: { day: `day ${value.day}` } };
  return runnerFunction(
    functionTool({
      name: 'lookup',
      parameters: { '~standard': { version: 1, vendor: 'test', validate } },
      schema: { type: 'object', properties: {} },
      function: run,
    }),
  );
}

for (const stream of [false, true]) {
  test(`typed functions get what was parsed, and refused arguments stop (${stream ? 'streamed' : 'whole'})`, async (t) => {
    const start = stream ? streaming : answering;
    const responses = [
      responseOf([functionCall('lookup', { day: 2 }, 'c1')]),
      responseOf([functionCall('lookup', { day: 0 }, 'c2')]),
    ];
    const service = await start(t, ...responses);
    const seen = [];
    const runner = new ResponsesToolRunner({
      functions: [
        typed((args) => {
          seen.push(args);
          return 'free';
        }),
      ],
    });
    const options = { stream, eager: stream };
    const reason = await reasonOf(runner.run(service.client(), PARAMS, options));
    assert.ok(reason instanceof ResponsesToolRunnerError);
    assert.deepEqual(seen, [{ day: 'day 2' }]);
    assert.deepEqual(reason.completedCallIds, ['c1']);
    assert.deepEqual(service.requests[1].body.input[1], responses[0].output[0]);
  });
}

test('steps have keys of their own, made from the one that was given', async (t) => {
  const calls = (id) => responseOf([functionCall('lookup', { day: 1 }, id)]);
  const keysOf = async (clientOptions, requestOptions) => {
    const service = await answering(t, calls('c1'), calls('c2'), DONE);
    const runner = new ResponsesToolRunner({ functions: [lookup(() => 'free')] });
    await runner.run(service.client(clientOptions), PARAMS, { requestOptions });
    return service.requests.map(({ headers }) => headers['idempotency-key']);
  };
  for (const keys of [
    await keysOf({}, { idempotencyKey: 'mine' }),
    await keysOf({ defaultHeaders: { 'Idempotency-Key': 'mine' } }),
    await keysOf({}, { headers: { 'idempotency-key': 'mine' } }),
  ]) {
    assert.equal(keys[0], 'mine');
    assert.equal(new Set(keys).size, 3);
  }
  assert.equal(new Set(await keysOf({})).size, 3);
});

test('the options of a request are those of each step', async (t) => {
  const service = await answering(t, responseOf([functionCall('lookup', {}, 'c1')]), DONE);
  const runner = new ResponsesToolRunner({ functions: [lookup(() => 'free')] });
  const requestOptions = { headers: { 'x-trace': '1' }, query: { a: 'b' } };
  await runner.run(service.client(), PARAMS, { requestOptions });
  for (const { url, headers } of service.requests) {
    assert.deepEqual([url, headers['x-trace']], ['/v1/responses?a=b', '1']);
  }
});

test("the client's error is the cause", async (t) => {
  const service = await serviceFor(t, (_request, response) => say(response, {}, { status: 429 }));
  for (const stream of [false, true]) {
    const run = new ResponsesToolRunner({}).run(service.client(), PARAMS, { stream });
    const reason = await reasonOf(run);
    assert.ok(reason instanceof ResponsesToolRunnerError);
    assert.equal(reason.code, 'request_failed');
    assert.ok(reason.cause instanceof RateLimitError);
  }
});

test('a client whose create is replaced is asked through that', async (t) => {
  const service = await answering(t, DONE);
  const client = service.client();
  const { create } = client.responses;
  let asked = 0;
  client.responses.create = function (...args) {
    asked += 1;
    return create.apply(this, args);
  };
  await new ResponsesToolRunner({}).run(client, PARAMS);
  assert.equal(asked, 1);
});

test('an abort ends the request, closes its socket and leaves no listener', async (t) => {
  const abort = new AbortController();
  let closed;
  const service = await serviceFor(t, ({ socket }) => {
    closed = once(socket, 'close');
    abort.abort();
  });
  const { signal } = abort;
  const reason = await reasonOf(
    new ResponsesToolRunner({}).run(service.client(), PARAMS, { signal }),
  );
  assert.equal(reason.code, 'run_cancelled');
  await closed;
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('an abort while a stream is read closes its socket', async (t) => {
  const abort = new AbortController();
  let closed;
  const service = await serviceFor(t, ({ socket }, response) => {
    closed = once(socket, 'close');
    beginStream(response);
    response.write(eventText({ type: 'response.created' }));
  });
  const { signal } = abort;
  const options = { signal, stream: true, onEvent: () => void setImmediate(() => abort.abort()) };
  const reason = await reasonOf(new ResponsesToolRunner({}).run(service.client(), PARAMS, options));
  assert.equal(reason.code, 'run_cancelled');
  await closed;
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('an observer of events that fails closes the socket', async (t) => {
  const closed = deferred();
  const service = await serviceFor(t, ({ socket }, response) => {
    socket.once('close', closed.resolve);
    beginStream(response);
    response.write(eventText({ type: 'response.created' }));
  });
  const onEvent = () => {
    throw new Error('private');
  };
  const run = new ResponsesToolRunner({}).run(service.client(), PARAMS, { stream: true, onEvent });
  assert.ok((await reasonOf(run)) instanceof ResponsesToolRunnerError);
  await closed.promise;
});

test('events come as copies, one by one, and calls may be early', async (t) => {
  const call = functionCall('lookup', { day: 1 }, 'c1');
  const answer = deferred();
  const service = await serviceFor(t, async ({ body }, response) => {
    beginStream(response);
    if (body.input.length > 1) {
      response.end(eventsOf(DONE).map(eventText).join(''));
      return;
    }
    const [created, item, completed] = eventsOf(responseOf([call])).map(eventText);
    response.write(created + item);
    // The rest is not sent before the call has run.
    await answer.promise;
    response.end(completed);
  });
  const seen = [];
  const runner = new ResponsesToolRunner({
    functions: [
      lookup(() => {
        answer.resolve();
        return 'free';
      }),
    ],
  });
  const response = await runner.run(service.client(), PARAMS, {
    stream: true,
    eager: true,
    beforeEarlyCall(given) {
      assert.deepEqual(given, call);
      given.name = 'defaced';
      return 'execute';
    },
    onEvent(event) {
      seen.push(event.type);
      for (const name of Object.keys(event)) delete event[name];
    },
  });
  assert.equal(response.output_text, 'Booked.');
  const types = ['response.created', 'response.output_item.done', 'response.completed'];
  assert.deepEqual(seen, [...types, ...types]);
  assert.deepEqual(service.requests[1].body.input[1], call);
});

test('streamed turns share connections', async (t) => {
  const responses = Array.from({ length: 19 }, (_, index) =>
    responseOf([functionCall('lookup', { day: 1 }, `c${index}`)]),
  );
  const service = await streaming(t, ...responses, DONE);
  const runner = new ResponsesToolRunner({ functions: [lookup(() => 'free')] });
  await runner.run(service.client(), PARAMS, { stream: true });
  assert.equal(service.requests.length, 20);
  assert.ok(new Set(service.requests.map(({ socket }) => socket)).size < 10);
});

test('turns show the response, and take outputs and words', async (t) => {
  const service = await answering(t, responseOf([functionCall('lookup', { day: 1 }, 'c1')]), DONE);
  const functions = [{ ...lookup(() => 'never'), allowOutputOverride: true }];
  const runner = new ResponsesToolRunner({ functions });
  const texts = [];
  for await (const turn of runner.iterate(service.client(), PARAMS)) {
    texts.push(turn.response.output_text);
    if (turn.final) break;
    turn.supplyOutputs([{ type: 'function_call_output', call_id: 'c1', output: 'é🍜' }]);
    turn.appendUserText('And soon.');
  }
  assert.deepEqual(texts, ['', 'Booked.']);
  assert.deepEqual(service.requests[1].body.input.slice(2), [
    { type: 'function_call_output', call_id: 'c1', output: 'é🍜' },
    { role: 'user', content: 'And soon.' },
  ]);
});

test('a history that is saved stays objects, on the same client', async (t) => {
  const service = await answering(t, responseOf([functionCall('lookup', { day: 1 }, 'c1')]), DONE);
  const saved = [];
  const runner = new ResponsesToolRunner({ functions: [lookup(() => 'free')] });
  const ledger = { runId: 'r', save: (checkpoint) => void saved.push(checkpoint) };
  await runner.run(service.client(), PARAMS, { ledger });
  assert.equal(saved.at(-1).final_response.output_text, 'Booked.');
});
