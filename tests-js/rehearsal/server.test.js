/** A rehearsal server in this process, with the native client on the other side (D-8). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import {
  APIConnectionError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  ResponsesToolRunner,
} from 'swingbridge';
import { RehearsalServer } from 'swingbridge/rehearsal';
import { reasonOf } from '../client/service.js';
import { ask, clientOf, saying, serverFor } from './support.js';

const WEATHER = `
turns:
  - expect: { text: the weather in Ghent, tool: weather }
    function_call: { name: weather, arguments: { place: Ghent } }
  - expect: { output_contains: { call_1_1: rain } }
    message: It rains in Ghent.
`;

/** Asks about the weather; the function is there and tells it. */
function runOn(client, options = {}) {
  const weather = {
    tool: {
      type: 'function',
      name: 'weather',
      parameters: { type: 'object', properties: { place: { type: 'string' } } },
      strict: false,
    },
    execute: ({ place }) => `rain in ${place}`,
  };
  const params = { model: 'm', input: 'How is the weather in Ghent?' };
  return new ResponsesToolRunner({ functions: [weather] }).run(client, params, options);
}

test('a run goes over it', async (t) => {
  const server = await serverFor(t, WEATHER);
  assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+\/v1$/);
  assert.equal(server.turnsLeft, 2);
  const response = await runOn(clientOf(server));
  assert.equal(response.output_text, 'It rains in Ghent.');
  assert.equal(server.turnsLeft, 0);
});

test('a streamed run goes over it', async (t) => {
  const server = await serverFor(t, WEATHER);
  const kinds = new Set();
  const onEvent = ({ type }) => void kinds.add(type);
  const response = await runOn(clientOf(server), { stream: true, onEvent });
  assert.equal(response.output_text, 'It rains in Ghent.');
  assert.ok(kinds.has('response.function_call_arguments.delta'));
  assert.ok(kinds.has('response.output_text.delta'));
  assert.deepEqual(
    server.requests().map((request) => request.json().stream),
    [true, true],
  );
});

test('its requests can be looked at', async (t) => {
  const server = await serverFor(t, WEATHER);
  assert.deepEqual(server.requests(), []);
  await runOn(clientOf(server));
  const [first, second, ...rest] = server.requests();
  assert.deepEqual(rest, []);
  for (const [turn, request] of [first, second].entries()) {
    const { path, status, refusal } = request;
    assert.deepEqual([path, status, request.turn, refusal], ['/v1/responses', 200, turn, null]);
    assert.ok(request.body instanceof Uint8Array);
    assert.deepEqual(request.json(), JSON.parse(Buffer.from(request.body).toString()));
    assert.ok(Object.isFrozen(request));
  }
  assert.equal(typeof first.idempotencyKey, 'string');
  assert.notEqual(first.idempotencyKey, second.idempotencyKey);
  assert.equal(first.json().input[0].content, 'How is the weather in Ghent?');
  const output = second.json().input.at(-1);
  assert.deepEqual([output.call_id, output.output], ['call_1_1', 'rain in Ghent']);
  // The same objects again, in a list of the caller's own.
  server.requests().pop();
  const again = server.requests();
  assert.equal(again.length, 2);
  assert.equal(again[0], first);
});

test('bodies are not kept if nobody wants them', async (t) => {
  const server = await serverFor(t, saying('one'), { keepBodies: false });
  assert.equal(await ask(server), 'one');
  const [request] = server.requests();
  assert.equal(request.body.length, 0);
  assert.throws(() => request.json(), SyntaxError);
});

test('a client gets over errors that pass, and hears of others', async (t) => {
  const busy = { error: { status: 429, message: 'slow down', retry_after: 0 } };
  const lost = { error: { status: 500, code: 'lost', message: 'lost it' } };
  const server = await serverFor(t, { turns: [busy, { message: 'one' }, lost] });
  const { responses } = clientOf(server, { maxRetries: 1 });
  assert.equal((await responses.create({ model: 'm', input: 'go' })).output_text, 'one');
  const [first, second] = server.requests();
  assert.deepEqual([first.status, second.status], [429, 200]);
  assert.equal(first.idempotencyKey, second.idempotencyKey);
  const reason = await reasonOf(responses.create({ model: 'm', input: 'go' }, { maxRetries: 0 }));
  assert.ok(reason instanceof InternalServerError);
  assert.equal(reason.serviceCode, 'lost');
});

test('what the service would refuse is refused, and takes no turn', async (t) => {
  const server = await serverFor(t, saying('one'));
  const input = [{ type: 'function_call_output', call_id: 'call_9', output: 'late' }];
  const reason = await reasonOf(clientOf(server).responses.create({ model: 'm', input }));
  assert.ok(reason instanceof BadRequestError);
  assert.equal(reason.param, 'input[0].call_id');
  const [request] = server.requests();
  assert.deepEqual([request.status, request.turn], [400, null]);
  assert.ok(reason.message.includes(request.refusal), reason.message);
  assert.equal(server.turnsLeft, 1);
});

test('a key can be asked for, and is not shown', async (t) => {
  const server = await serverFor(t, saying('one'), { apiKey: 'planted-key' });
  assert.ok((await reasonOf(ask(server))) instanceof AuthenticationError);
  const client = clientOf(server, { apiKey: 'planted-key' });
  await client.responses.create({ model: 'm', input: 'go' });
  for (const value of [server, ...server.requests()]) {
    const shown = inspect(value, { depth: 20, showHidden: true, getters: true });
    assert.ok(!shown.includes('planted-key'), shown);
  }
});

test('several serve at once', async (t) => {
  const names = ['a', 'b', 'c'];
  const servers = await Promise.all(names.map((name) => serverFor(t, saying(name))));
  assert.deepEqual(await Promise.all(servers.map((server) => ask(server))), names);
  assert.equal(new Set(servers.map(({ url }) => url)).size, 3);
});

test('it is stopped once, and what it knows stays', async (t) => {
  const server = await RehearsalServer.start(saying('one', 'two'));
  assert.equal(await ask(server), 'one');
  const stopped = server.stop();
  assert.equal(server.stop(), stopped);
  await stopped;
  await server.stop();
  assert.ok((await reasonOf(ask(server))) instanceof APIConnectionError);
  assert.equal(server.turnsLeft, 1);
  assert.equal(server.requests().length, 1);
  // Its port is free again.
  const { port } = new URL(server.url);
  const next = await serverFor(t, saying('next'), { port: Number(port) });
  assert.equal(next.url, server.url);
  assert.equal(await ask(next), 'next');
});

test('a stop ends what is being answered', async () => {
  const server = await RehearsalServer.start({
    turns: [{ message: 'one', delay_ms: 600_000 }],
  });
  const { responses } = clientOf(server);
  const reason = reasonOf(responses.create({ model: 'm', input: 'go', stream: true }));
  // The turn is taken before the wait begins.
  while (server.turnsLeft > 0) await new Promise((resolve) => setImmediate(resolve));
  await server.stop();
  assert.ok((await reason) instanceof APIConnectionError);
});

test('it can be disposed of', async () => {
  const server = await RehearsalServer.start(saying('one'));
  await server[Symbol.asyncDispose]();
  assert.ok((await reasonOf(ask(server))) instanceof APIConnectionError);
});
