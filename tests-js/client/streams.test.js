/** Streams of events of the native client (N-2, N-3). */
import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { test } from 'node:test';
import { APIConnectionError, APIError, APIUserAbortError, RateLimitError } from 'swingbridge';
import { deferred, settled } from '../support.js';
import { beginStream, eventText, reasonOf, RESPONSE, say, serviceFor } from './service.js';

const BODY = { model: 'm', input: 'go', stream: true };
const EVENTS = [
  { type: 'response.created', response: { ...RESPONSE, status: 'in_progress', output: [] } },
  { type: 'response.output_text.delta', delta: 'Tisch für 🍜\n' },
  { type: 'response.completed', response: RESPONSE },
];

async function allOf(stream) {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
}

test('events are plain objects, in order, and the connections serve on', async (t) => {
  const service = await serviceFor(t, (_request, response) => {
    beginStream(response, { 'x-request-id': 'req_1' });
    response.end(`${EVENTS.map(eventText).join('')}data: [DONE]\n\n`);
  });
  const client = service.client();
  for (let count = 0; count < 20; count += 1) {
    const stream = await client.responses.create(BODY);
    assert.equal(stream.requestID, 'req_1');
    assert.deepEqual(await allOf(stream), EVENTS);
    // It is read once.
    assert.deepEqual(await allOf(stream), []);
  }
  const [{ headers, body }] = service.requests;
  assert.equal(headers.accept, 'text/event-stream');
  assert.equal(body.stream, true);
  assert.ok(new Set(service.requests.map(({ socket }) => socket)).size < 10);
});

test('events may be cut at any byte', async (t) => {
  const bytes = Buffer.from(`\ufeff: hello\r\n${EVENTS.slice(1).map(eventText).join('')}`);
  const service = await serviceFor(t, ({ body }, response) => {
    beginStream(response);
    response.write(bytes.subarray(0, body.cut));
    response.end(bytes.subarray(body.cut));
  });
  const client = service.client();
  const cuts = Array.from({ length: bytes.length - 1 }, (_, index) => index + 1);
  for (const cut of cuts) {
    const events = await allOf(await client.responses.create({ ...BODY, cut }));
    assert.deepEqual(events, EVENTS.slice(1), `cut at ${cut}`);
  }
});

test('an event is there before the next one is sent', async (t) => {
  let response;
  const service = await serviceFor(t, (_request, answer) => {
    response = answer;
    beginStream(response);
    response.write(eventText({ type: 'event', number: 0 }));
  });
  const stream = await service.client().responses.create(BODY);
  for (let number = 0; number < 5; number += 1) {
    assert.deepEqual((await stream.next()).value, { type: 'event', number });
    response.write(eventText({ type: 'event', number: number + 1 }));
  }
  response.end();
  assert.equal((await stream.next()).value.number, 5);
  assert.equal((await stream.next()).done, true);
});

test('reads that overlap are served in order', async (t) => {
  const service = await serviceFor(t, (_request, response) => {
    beginStream(response);
    response.end([0, 1, 2].map((number) => eventText({ type: 'event', number })).join(''));
  });
  const stream = await service.client().responses.create(BODY);
  const reads = await Promise.all([1, 2, 3, 4, 5].map(() => stream.next()));
  assert.deepEqual(
    reads.map(({ value }) => value?.number),
    [0, 1, 2, undefined, undefined],
  );
});

test('a stream that the service refuses to begin', async (t) => {
  const service = await serviceFor(t, (_request, response) =>
    service.requests.length === 1
      ? say(response, { error: { message: 'slow' } }, { status: 429 })
      : say(response, RESPONSE),
  );
  const { responses } = service.client();
  const { signal } = new AbortController();
  const refused = await reasonOf(responses.create(BODY, { signal }));
  assert.ok(refused instanceof RateLimitError);
  assert.equal((await reasonOf(responses.create(BODY, { signal }))).code, 'not_a_stream');
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

const LEAVES = {
  'to leave the loop': async (stream) => {
    for await (const _ of stream) break;
  },
  return: async (stream) => {
    await stream.next();
    assert.deepEqual(await stream.return(), { done: true, value: undefined });
  },
  abort: async (stream) => {
    await stream.next();
    stream.abort();
  },
  'to return during a read': async (stream) => {
    await stream.next();
    const read = stream.next();
    await stream.return();
    assert.equal((await read).done, true);
  },
};

for (const [name, leave] of Object.entries(LEAVES)) {
  test(`${name} closes the socket and leaves no listener`, async (t) => {
    let closed;
    const service = await serviceFor(t, ({ socket }, response) => {
      closed = once(socket, 'close');
      beginStream(response);
      response.write(eventText(EVENTS[1]));
    });
    const { signal } = new AbortController();
    const stream = await service.client().responses.create(BODY, { signal });
    await leave(stream);
    await closed;
    assert.equal(getEventListeners(signal, 'abort').length, 0);
    assert.equal((await stream.next()).done, true);
  });
}

test('an abort of the signal ends a read, closes the socket and leaves no listener', async (t) => {
  let closed;
  const service = await serviceFor(t, ({ socket }, response) => {
    closed = once(socket, 'close');
    beginStream(response);
    response.write(eventText(EVENTS[1]));
  });
  const abort = new AbortController();
  const stream = await service.client().responses.create(BODY, { signal: abort.signal });
  await stream.next();
  assert.equal(getEventListeners(abort.signal, 'abort').length, 1);
  const read = stream.next();
  abort.abort(new Error('enough'));
  const reason = await reasonOf(read);
  assert.ok(reason instanceof APIUserAbortError);
  assert.equal(reason.cause, abort.signal.reason);
  await closed;
  assert.equal(getEventListeners(abort.signal, 'abort').length, 0);
  assert.equal((await stream.next()).done, true);
});

test('an abort of the signal between two reads closes the socket too', async (t) => {
  const closed = deferred();
  const service = await serviceFor(t, ({ socket }, response) => {
    socket.once('close', closed.resolve);
    beginStream(response);
    response.write(eventText(EVENTS[1]));
  });
  const abort = new AbortController();
  const stream = await service.client().responses.create(BODY, { signal: abort.signal });
  await stream.next();
  abort.abort();
  await closed.promise;
  assert.ok((await reasonOf(stream.next())) instanceof APIUserAbortError);
  assert.equal(getEventListeners(abort.signal, 'abort').length, 0);
});

test('a connection that is lost fails the stream once, after the events that came', async (t) => {
  let response;
  const service = await serviceFor(t, (_request, answer) => {
    response = answer;
    beginStream(response);
    response.write(eventText(EVENTS[1]));
  });
  const { signal } = new AbortController();
  const stream = await service.client().responses.create(BODY, { signal });
  assert.deepEqual((await stream.next()).value, EVENTS[1]);
  response.socket.resetAndDestroy();
  const reason = await reasonOf(stream.next());
  assert.ok(reason instanceof APIConnectionError);
  assert.equal((await stream.next()).done, true);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('an error event is an event; an error in the place of one fails the stream', async (t) => {
  const told = { type: 'error', code: 'c', message: 'm', param: null };
  const error = { code: 'server_error', message: 'x'.repeat(1e5), type: 'kind' };
  const service = await serviceFor(t, (_request, response) => {
    beginStream(response, { 'x-request-id': 'req_3' });
    response.end(
      `${eventText(told)}event: error\ndata: ${JSON.stringify({ error })}\n\n${eventText(told)}`,
    );
  });
  const stream = await service.client().responses.create(BODY);
  assert.deepEqual((await stream.next()).value, told);
  const reason = await reasonOf(stream.next());
  assert.equal(reason.constructor, APIError);
  const { code, serviceCode, type, requestID } = reason;
  assert.deepEqual(
    [code, serviceCode, type, requestID],
    ['stream_failed', 'server_error', 'kind', 'req_3'],
  );
  assert.ok(reason.message.length < 2_100);
  assert.equal((await stream.next()).done, true);
});

test('an event that is no JSON fails the stream without its words', async (t) => {
  const service = await serviceFor(t, (_request, response) => {
    beginStream(response);
    response.end(`data: {"private words\n\n${eventText(EVENTS[1])}`);
  });
  const stream = await service.client().responses.create(BODY);
  const reason = await reasonOf(stream.next());
  assert.equal(reason.code, 'event_not_json');
  assert.ok(!String(reason.stack).includes('private words'));
  assert.equal((await stream.next()).done, true);
});

test('a stream that ends within an event was lost', async (t) => {
  const service = await serviceFor(t, (_request, response) => {
    beginStream(response);
    response.end(`${eventText(EVENTS[1])}data: {"type":"cut"}`);
  });
  const stream = await service.client().responses.create(BODY);
  assert.deepEqual((await stream.next()).value, EVENTS[1]);
  assert.equal((await reasonOf(stream.next())).code, 'connection_lost_within_answer');
  assert.deepEqual(await stream.next(), { done: true, value: undefined });
});

test('reading does not keep the event loop from other work', async (t) => {
  const turns = deferred();
  const service = await serviceFor(t, async (_request, response) => {
    beginStream(response);
    response.flushHeaders();
    await turns.promise;
    response.end(eventText(EVENTS[1]));
  });
  const stream = await service.client().responses.create(BODY);
  const read = stream.next();
  // The service, in this very thread, gets its turn while the read is open.
  await settled();
  turns.resolve();
  assert.deepEqual((await read).value, EVENTS[1]);
});
