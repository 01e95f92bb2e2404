/** Streamed responses: events, their copies, and each way in which a stream can end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResponsesToolRunner } from 'swingbridge';
import { deferred, isSettled, settled } from '../support.js';
import { functionCall, lookup, message, responseOf } from './double.js';
import { delta, eventsOf, manualStream, streamingClient, streamOf } from './streams.js';

const PARAMS = { model: 'm', input: 'go' };
const CALLS = responseOf([functionCall('lookup', {}, 'c1'), functionCall('lookup', {}, 'c2')]);
const END = responseOf([message()], { id: 'resp_end' });
const STREAM = { stream: true };
const EAGER = { stream: true, eager: true };
const runnerOf = (...functions) => new ResponsesToolRunner({ functions });

/** What stopped a run: its code and its receipts. */
async function stopOf(client, options = STREAM, runner = runnerOf(lookup())) {
  const error = await runner.run(client, PARAMS, options).then(assert.fail, (thrown) => thrown);
  assert.equal(error.name, 'ResponsesToolRunnerError', String(error.stack));
  assert.deepEqual(runner.close(), { status: 'closed' });
  return [error.code, error.attemptedCallIds, error.completedCallIds];
}

test('a client with create only gets stream: true, and its own final response comes back', async () => {
  const client = streamingClient(eventsOf(CALLS), eventsOf(END));
  assert.equal(await runnerOf(lookup()).run(client, PARAMS, STREAM), END);
  assert.deepEqual(
    client.requests.map(({ body }) => body.stream),
    [true, true],
  );
  assert.deepEqual(
    client.requests[1].body.input.map(({ type }) => type),
    [undefined, 'function_call', 'function_call', 'function_call_output', 'function_call_output'],
  );
});

test('a client with stream is used by it, and its finalResponse comes back', async () => {
  const parsed = { ...END, output_parsed: { a: 1 } };
  const bodies = [];
  const responses = {
    create: () => assert.fail('create'),
    stream(body, options) {
      bodies.push([this, body.stream, options]);
      const given = bodies.length === 1 ? CALLS : END;
      return {
        ...streamOf(eventsOf(given)),
        finalResponse: async () => (given === END ? parsed : given),
      };
    },
  };
  const requestOptions = { timeout: 5 };
  const runner = runnerOf(lookup());
  const response = await runner.run({ responses }, PARAMS, { ...STREAM, requestOptions });
  assert.equal(response, parsed);
  assert.deepEqual(bodies, Array(2).fill([responses, undefined, requestOptions]));
});

test('without stream a client is used by create', async () => {
  const responses = { create: () => END, stream: () => assert.fail('stream') };
  assert.equal(await runnerOf().run({ responses }, PARAMS), END);
});

test('a stream that is a synchronous iterable does as well', async () => {
  const client = { responses: { create: () => eventsOf(END) } };
  assert.equal(await runnerOf().run(client, PARAMS, STREAM), END);
});

test('each event is delivered in order, as a copy, and awaited', async () => {
  const seen = [];
  const gate = deferred();
  const events = [eventsOf(CALLS), [delta('a'), delta('b'), ...eventsOf(END)]];
  const running = runnerOf(lookup()).run(streamingClient(...events), PARAMS, {
    ...STREAM,
    async onEvent(event) {
      seen.push(structuredClone(event));
      if (seen.length === 1) await gate.promise;
      for (const name of Object.keys(event)) delete event[name];
    },
  });
  assert.equal(await isSettled(running), false);
  assert.equal(seen.length, 1);
  gate.resolve();
  assert.equal(await running, END);
  assert.deepEqual(seen, events.flat());
});

test('what onEvent does to the items of an event changes nothing', async () => {
  const executed = [];
  const onEvent = ({ item, response }) => {
    if (item) item.arguments = '{"n":9}';
    if (response) response.output.length = 0;
  };
  const call = functionCall('lookup', { n: 1 }, 'c1');
  const runner = runnerOf(lookup(({ n }) => (executed.push(n), 'x')));
  const client = streamingClient(eventsOf(responseOf([call])), eventsOf(END));
  await runner.run(client, PARAMS, { ...EAGER, onEvent });
  assert.deepEqual(executed, [1]);
  assert.equal(client.requests[1].body.input[1].arguments, '{"n":1}');
});

for (const onEvent of [
  () => {
    throw new Error('secret');
  },
  () => Promise.reject(new Error('secret')),
]) {
  test(`an onEvent that fails stops the run: ${onEvent}`, async () => {
    const client = streamingClient(eventsOf(CALLS));
    assert.deepEqual(await stopOf(client, { ...STREAM, onEvent }), ['event_not_delivered', [], []]);
    assert.deepEqual(client.ends.sort(), ['abort', 'return']);
  });
}

for (const [what, events, code] of [
  ['is over at once', [], 'stream_ended'],
  ['is over without a completed response', eventsOf(CALLS).slice(0, -1), 'stream_ended'],
  ['reports an error', [{ type: 'error', message: 'secret' }], 'stream_error'],
  ['says that the model failed', [{ type: 'response.failed', response: {} }], 'response_failed'],
  ['is incomplete', [{ type: 'response.incomplete', response: {} }], 'response_incomplete'],
  ['breaks', [...eventsOf(CALLS).slice(0, 2), new Error('secret')], 'request_failed'],
  ['has an event without a type', [{}], 'stream_malformed'],
  ['has an event whose type is no text', [{ type: '\ud800' }], 'stream_malformed'],
  ['has an event that is a text', ['[DONE]'], 'stream_malformed'],
  ['has no event in an event', [undefined], 'stream_malformed'],
  ['completes without a response', [{ type: 'response.completed' }], 'response_incomplete'],
]) {
  test(`a stream that ${what} stops the run with ${code}`, async () => {
    const client = streamingClient(events);
    assert.deepEqual(await stopOf(client), [code, [], []]);
    assert.equal(client.ends.includes('return'), true);
  });
}

test('a stream that breaks shows the error of the client as the cause', async () => {
  const cause = new Error('ECONNRESET');
  await assert.rejects(runnerOf().run(streamingClient([cause]), PARAMS, STREAM), { cause });
});

test('a failure of started work is not taken for the cause', async () => {
  const cause = new Error('ECONNRESET');
  const failing = deferred();
  const runner = runnerOf({ ...lookup(() => failing.promise), independent: true });
  const manual = manualStream();
  const running = runner.run({ responses: { create: () => manual.stream } }, PARAMS, EAGER);
  for (const event of eventsOf(CALLS).slice(0, 3)) manual.event(event);
  await settled();
  manual.fail(cause);
  assert.equal(await isSettled(running), false);
  failing.reject(new Error('secret'));
  await assert.rejects(running, { code: 'request_failed', cause, attemptedCallIds: ['c1'] });
});

for (const source of [undefined, null, 5, {}, { [Symbol.asyncIterator]: 5 }]) {
  test(`what is no stream fails the request: ${JSON.stringify(source)}`, async () => {
    const client = { responses: { create: () => source } };
    assert.deepEqual(await stopOf(client), ['request_failed', [], []]);
  });
}

test('what is no result of an iterator fails the request', async () => {
  for (const result of [undefined, null]) {
    const stream = { [Symbol.asyncIterator]: () => ({ next: () => result }) };
    assert.deepEqual(await stopOf({ responses: { create: () => stream } }), [
      'request_failed',
      [],
      [],
    ]);
  }
});

test('a finalResponse that fails, fails the request', async () => {
  const finalResponse = () => Promise.reject(new Error('parse'));
  const responses = { create() {}, stream: () => ({ ...streamOf(eventsOf(END)), finalResponse }) };
  assert.deepEqual(await stopOf({ responses }), ['request_failed', [], []]);
});

// One that is cut after any event: what was done early stays in the receipts, nothing else is done.
for (const [mode, options] of Object.entries({ whole: STREAM, eager: EAGER })) {
  for (let length = 0; length < eventsOf(CALLS).length; length += 1) {
    test(`${mode}: a stream that is cut after ${length} events`, async () => {
      const executed = [];
      const execute = (_args, _context) => (executed.push(1), 'x');
      const events = eventsOf(CALLS).slice(0, length);
      const done = events.filter(({ type }) => type.endsWith('item.done'));
      const ids = mode === 'eager' ? done.map(({ item }) => item.call_id) : [];
      const client = streamingClient(events);
      const stop = await stopOf(client, options, runnerOf(lookup(execute)));
      assert.deepEqual(stop, ['stream_ended', ids, ids]);
      assert.equal(executed.length, ids.length);
      assert.deepEqual(client.ends, ['over', 'return']);
    });
  }
}

for (const at of eventsOf(CALLS).keys()) {
  test(`an event that comes twice runs nothing twice: the ${at}th`, async () => {
    const executed = [];
    const execute = () => (executed.push(1), 'x');
    const events = eventsOf(CALLS);
    events.splice(at, 0, structuredClone(events[at]));
    const client = streamingClient(events, eventsOf(END));
    const running = runnerOf(lookup(execute)).run(client, PARAMS, EAGER);
    if (events[at].type.endsWith('item.done')) {
      await assert.rejects(running, { code: 'stream_item_changed' });
      assert.equal(executed.length, at === 2 ? 1 : 2);
    } else {
      assert.equal(await running, END);
      assert.equal(executed.length, 2);
    }
  });
}

test('a stream is let go of as soon as its response is complete', async () => {
  const manual = manualStream();
  const running = runnerOf().run({ responses: { create: () => manual.stream } }, PARAMS, STREAM);
  for (const event of eventsOf(END)) manual.event(event);
  assert.equal(await running, END);
  assert.deepEqual(manual.ends, ['return', 'abort']);
});

test('an abort ends the wait for an event and the stream', async () => {
  const controller = new AbortController();
  const manual = manualStream();
  const runner = runnerOf(lookup());
  const running = runner.run({ responses: { create: () => manual.stream } }, PARAMS, {
    ...EAGER,
    signal: controller.signal,
  });
  for (const event of eventsOf(CALLS).slice(0, 3)) manual.event(event);
  await settled();
  assert.ok(manual.isRead());
  controller.abort();
  await assert.rejects(running, {
    code: 'run_cancelled',
    attemptedCallIds: ['c1'],
    completedCallIds: ['c1'],
  });
  assert.deepEqual(manual.ends, ['return', 'abort']);
  // The read that was left alone keeps the runner busy until it is over.
  await assert.rejects(runner.run({ responses: { create() {} } }, PARAMS), { code: 'busy' });
  manual.over();
  await settled();
  assert.deepEqual(runner.close(), { status: 'closed' });
});

test('a stream that opens after the abort is ended', async () => {
  const controller = new AbortController();
  const opening = deferred();
  const manual = manualStream();
  const client = { responses: { create: () => opening.promise } };
  const running = runnerOf().run(client, PARAMS, { ...STREAM, signal: controller.signal });
  await settled();
  controller.abort();
  await assert.rejects(running, { code: 'run_cancelled' });
  opening.resolve(manual.stream);
  await settled();
  assert.deepEqual(manual.ends, ['return', 'abort']);
});

test('to leave an iteration ends the stream, whatever that does', async () => {
  const ends = [];
  const fails = (name) => () => {
    ends.push(name);
    if (name === 'return') return Promise.reject(new Error('secret'));
    throw new Error('secret');
  };
  const iterator = streamOf(eventsOf(CALLS))[Symbol.asyncIterator]();
  iterator.return = fails('return');
  const stream = { [Symbol.asyncIterator]: () => iterator, abort: fails('abort') };
  const runner = runnerOf(lookup());
  for await (const _turn of runner.iterate(
    { responses: { create: () => stream } },
    PARAMS,
    STREAM,
  )) {
    break;
  }
  assert.deepEqual(ends, ['return', 'abort']);
  assert.deepEqual(runner.close(), { status: 'closed' });
});

const hostile = (name, value) => ({
  get type() {
    return name === 'type' ? value() : 'response.output_item.done';
  },
  get output_index() {
    return name === 'output_index' ? value() : 0;
  },
  get item() {
    return name === 'item' ? value() : functionCall('lookup', {}, 'c1');
  },
});
for (const name of ['type', 'output_index', 'item']) {
  for (const onEvent of [undefined, () => undefined]) {
    test(`an event whose ${name} cannot be read is malformed${onEvent ? ', also for onEvent' : ''}`, async () => {
      const event = hostile(name, () => {
        throw new Error('secret');
      });
      const client = streamingClient([event]);
      assert.deepEqual(await stopOf(client, { ...EAGER, onEvent }), ['stream_malformed', [], []]);
    });
  }
}

test('each field of an event is read once', async () => {
  for (const onEvent of [undefined, () => undefined]) {
    let reads = 0;
    const call = functionCall('lookup', {}, 'c1');
    const event = hostile('item', () => {
      reads += 1;
      return reads === 1 ? call : { ...call, call_id: 'other' };
    });
    const events = [event, eventsOf(responseOf([call])).at(-1)];
    await runnerOf(lookup()).run(streamingClient(events, eventsOf(END)), PARAMS, {
      ...EAGER,
      onEvent,
    });
    assert.equal(reads, 1);
  }
});

test('an event with a cycle or a bigint in it is malformed for who wants a copy', async () => {
  const cycle = delta('x');
  cycle.self = cycle;
  for (const event of [cycle, { ...delta('x'), big: 1n }]) {
    const runner = runnerOf();
    const seen = [];
    const events = [event, ...eventsOf(END)];
    const onEvent = () => seen.push(1);
    await assert.rejects(runner.run(streamingClient(events), PARAMS, { ...STREAM, onEvent }), {
      code: 'stream_malformed',
    });
    assert.equal(seen.length, 0);
    assert.equal(await runner.run(streamingClient(events), PARAMS, STREAM), END);
  }
});

test('a proxy as an event is read like any other', async () => {
  const events = eventsOf(END).map((event) => new Proxy(event, {}));
  const response = await runnerOf().run(streamingClient(events), PARAMS, {
    ...EAGER,
    onEvent() {},
  });
  assert.equal(response, END);
});

test('kinds of events that nobody knows, and more of them than are remembered', async () => {
  const kinds = Array.from({ length: 600 }, (_, index) => ({
    type: `response.new_${index % 300}`,
  }));
  const seen = [];
  const onEvent = ({ type }) => seen.push(type);
  const [created, ...rest] = eventsOf(END);
  const events = [created, ...kinds, ...rest];
  await runnerOf().run(streamingClient(events), PARAMS, { ...EAGER, onEvent });
  assert.deepEqual(
    seen,
    events.map(({ type }) => type),
  );
});
