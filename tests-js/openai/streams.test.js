/** Runs that stream through the npm client over a real connection, which is let go of on every way out. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { ResponsesToolRunner } from 'swingbridge';
import { functionCall, lookup, message, responseOf } from '../runner/double.js';
import { eventsOf } from '../runner/streams.js';

const PARAMS = { model: 'm', input: 'go' };
const CALL = responseOf([functionCall('lookup', {}, 'c1')], { tools: [] });
const END = responseOf([message()], { id: 'resp_end', tools: [] });
const EAGER = { stream: true, eager: true };

/** Answers each request with the next events; those of an unfinished script leave the connection open. */
const service = {
  script: [],
  headers: [],
  closed: [],
  server: http.createServer((request, response) => {
    service.headers.push(request.headers);
    service.closed.push(once(response, 'close'));
    request.resume().on('end', () => {
      const { events, isOver = true } = service.script.shift();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of events) {
        response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      }
      if (isOver) response.end('data: [DONE]\n\n');
    });
  }),
};
let client;

before(async () => {
  service.server.listen(0, '127.0.0.1');
  await once(service.server, 'listening');
  const { port } = service.server.address();
  client = new OpenAI({ apiKey: 'k', baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 0 });
});
after(() => service.server.close());

function begin(script) {
  Object.assign(service, { script, headers: [], closed: [] });
  return new ResponsesToolRunner({ functions: [lookup()] });
}

const unfinished = () => [{ events: eventsOf(CALL).slice(0, 3), isOver: false }];

test('the parsed final response of the client comes back', async () => {
  const runner = begin([{ events: eventsOf(CALL) }, { events: eventsOf(END) }]);
  const response = await runner.run(client, PARAMS, EAGER);
  assert.deepEqual([response.id, response.output_text], ['resp_end', 'done']);
  await Promise.all(service.closed);
});

test('each step has a key of its own', async () => {
  const runner = begin([{ events: eventsOf(CALL) }, { events: eventsOf(END) }]);
  const keyed = client.withOptions({ defaultHeaders: { 'Idempotency-Key': 'k' } });
  await runner.run(keyed, PARAMS, EAGER);
  assert.deepEqual(
    service.headers.map((headers) => headers['idempotency-key']),
    ['k', 'k-2'],
  );
});

test('an abort closes the connection', async () => {
  const controller = new AbortController();
  const runner = begin(unfinished());
  const onEvent = ({ type }) => {
    if (type.endsWith('item.done')) setImmediate(() => controller.abort());
  };
  await assert.rejects(
    runner.run(client, PARAMS, { ...EAGER, onEvent, signal: controller.signal }),
    { code: 'run_cancelled' },
  );
  await Promise.all(service.closed);
});

test('an onEvent that fails closes the connection', async () => {
  const runner = begin(unfinished());
  const onEvent = ({ type }) => {
    if (type.endsWith('item.done')) throw new Error('mine');
  };
  await assert.rejects(runner.run(client, PARAMS, { ...EAGER, onEvent }), {
    code: 'event_not_delivered',
  });
  await Promise.all(service.closed);
});

test('to leave an iteration sends nothing further', async () => {
  const runner = begin([{ events: eventsOf(CALL) }]);
  for await (const _turn of runner.iterate(client, PARAMS, { stream: true })) break;
  await Promise.all(service.closed);
  assert.equal(service.headers.length, 1);
  assert.deepEqual(runner.close(), { status: 'closed' });
});

for (const [what, events, code] of [
  ['is cut', eventsOf(CALL).slice(0, 3), 'stream_ended'],
  ['has [DONE] only', [], 'request_failed'],
  ['reports an error', [{ type: 'error', message: 'm', code: 'c', param: null }], 'request_failed'],
]) {
  test(`a stream that ${what} stops the run with ${code}`, async () => {
    const runner = begin([{ events }]);
    await assert.rejects(runner.run(client, PARAMS, EAGER), { code });
    await Promise.all(service.closed);
  });
}
