/**
 * Services of other makers, in the shapes that they document (N-1, N-2). `conformance/endpoints.json` has
 * the shapes; the same are tried from Python. None of the services themselves is asked.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as swingbridge from 'swingbridge';
import { inspect } from 'node:util';
import { reasonOf, serviceFor } from './service.js';

const { Client, ResponsesToolRunner } = swingbridge;
const SERVICES = JSON.parse(
  readFileSync(new URL('../../conformance/endpoints.json', import.meta.url), 'utf8'),
);
const PARAMS = { model: 'm', input: 'Is it open?' };

/** A client of a service in this shape, which answers with these bytes in turn. */
async function clientOf(test, shape, ...answers) {
  const service = await serviceFor(test, (_request, response) => {
    const { status, kind, text } = answers.length > 1 ? answers.shift() : answers[0];
    const name = shape.request_id_header;
    response.writeHead(status, { 'content-type': kind, ...(name && { [name]: 'req_1' }) });
    response.end(text);
  });
  const given = Object.entries(shape.client).map(([name, value]) => [camel(name), value]);
  const baseURL = service.baseURL.replace(/\/v1$/, '') + shape.base;
  const client = new Client({ ...Object.fromEntries(given), baseURL, maxRetries: 0 });
  return { client, requests: service.requests };
}

function camel(name) {
  return name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
}

function whole(_shape, body, status = 200) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, kind: 'application/json', text };
}

/** The response as the service streams it, or an error in the place of its end. */
function streamed({ stream }, body, breaks) {
  const begun = { ...body, status: 'in_progress', output: [] };
  const items = body.output.flatMap((item, output_index) => [
    { type: 'response.output_item.added', output_index, item },
    { type: 'response.output_item.done', output_index, item },
  ]);
  const events = [{ type: 'response.created', response: begun }, ...items];
  if (breaks === undefined) events.push({ type: 'response.completed', response: body });
  const texts = events.map((event) => {
    const name = stream.names ? `event: ${event.type}\n` : '';
    return `${name}data: ${JSON.stringify(event)}\n\n${stream.between.join('')}`;
  });
  const text = [...texts, breaks ?? '', stream.done ? 'data: [DONE]\n\n' : ''].join('');
  return { status: 200, kind: 'text/event-stream', text };
}

/** The requests went where they belong, as whom they should. */
function assertSent(shape, requests) {
  for (const { url, headers } of requests) {
    assert.equal(url, shape.path);
    for (const [name, value] of Object.entries(shape.headers)) assert.equal(headers[name], value);
    for (const name of shape.absent) assert.equal(headers[name], undefined);
  }
}

for (const shape of SERVICES) {
  const requestId = shape.request_id_header ? 'req_1' : null;

  test(`${shape.name}: a whole response`, async (t) => {
    const { client, requests } = await clientOf(t, shape, whole(shape, shape.ends));
    const response = await client.responses.create(PARAMS);
    assert.deepEqual(response, { ...shape.ends, output_text: 'It is open.' });
    assert.equal(response._request_id, requestId);
    assertSent(shape, requests);
  });

  test(`${shape.name}: a streamed response`, async (t) => {
    const { client, requests } = await clientOf(t, shape, streamed(shape, shape.ends));
    const seen = [];
    for await (const event of await client.responses.create({ ...PARAMS, stream: true })) {
      if (event.type !== 'keepalive') seen.push(event);
    }
    assert.deepEqual(
      seen.map(({ type }) => type),
      [
        'response.created',
        'response.output_item.added',
        'response.output_item.done',
        'response.completed',
      ],
    );
    assert.deepEqual(seen.at(-1).response, shape.ends);
    assert.equal(seen.at(-1).response._request_id, requestId);
    assertSent(shape, requests);
  });

  for (const stream of [false, true]) {
    test(`${shape.name}: a ${stream ? 'streamed' : 'plain'} run with a function call`, async (t) => {
      const form = stream ? streamed : whole;
      const answers = [form(shape, shape.asks), form(shape, shape.ends)];
      const { client, requests } = await clientOf(t, shape, ...answers);
      const seen = [];
      const look = {
        tool: {
          type: 'function',
          name: 'look',
          parameters: { type: 'object', properties: { at: { type: 'string' } } },
          strict: false,
        },
        execute(args) {
          seen.push(args);
          return 'A sign: open.';
        },
      };
      const runner = new ResponsesToolRunner({ functions: [look] });
      const response = await runner.run(client, PARAMS, { stream });
      assert.equal(response.id, shape.ends.id);
      assert.deepEqual(seen, [{ at: 'the door' }]);
      assertSent(shape, requests);
      const question = { role: 'user', content: 'Is it open?' };
      const output = { type: 'function_call_output', call_id: 'call_1', output: 'A sign: open.' };
      assert.deepEqual(
        requests.map(({ body }) => body.input),
        [[question], [question, ...shape.asks.output, output]],
      );
    });
  }

  for (const [index, error] of shape.errors.entries()) {
    test(`${shape.name}: error ${index}, status ${error.status}`, async (t) => {
      const { client } = await clientOf(t, shape, whole(shape, error.body, error.status));
      const reason = await reasonOf(client.responses.create(PARAMS));
      assert.equal(reason.constructor, swingbridge[error.class]);
      const { status, code, serviceCode, type, message, requestID } = reason;
      assert.equal(status, error.status === 200 ? undefined : error.status);
      assert.deepEqual([code, serviceCode, type], [error.code, error.service_code, error.type]);
      assert.ok(message.endsWith(error.message ?? `(status ${status})`), message);
      assert.equal(requestID, requestId ?? undefined);
      assert.doesNotMatch(inspect(reason, { showHidden: true, depth: 9 }), /planted/);
    });
  }

  for (const [index, broken] of shape.breaks.entries()) {
    test(`${shape.name}: a stream that an error ends, ${index}`, async (t) => {
      const { client } = await clientOf(t, shape, streamed(shape, shape.ends, broken.event));
      const events = await client.responses.create({ ...PARAMS, stream: true });
      assert.equal((await events.next()).value.type, 'response.created');
      const reading = (async () => {
        for await (const _ of events);
      })();
      const reason = await reasonOf(reading);
      assert.deepEqual(
        [reason.code, reason.serviceCode, reason.status],
        ['stream_failed', broken.service_code, undefined],
      );
      assert.ok(reason.message.endsWith(`: ${broken.message}`), reason.message);
      const stopped = await reasonOf(
        new ResponsesToolRunner({}).run(client, PARAMS, { stream: true }),
      );
      assert.equal(stopped.code, 'request_failed');
      assert.equal(stopped.cause.code, 'stream_failed');
    });
  }
}
