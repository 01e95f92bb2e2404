/** What a failed request says, and what it never shows (N-2). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { inspect } from 'node:util';
import * as swingbridge from 'swingbridge';
import { errorOf } from '../../bindings-node/dist/client/errors.js';
import { errorClass } from '../../bindings-node/dist/errors.js';
import { KEY, reasonOf, RESPONSE, say, serviceFor } from './service.js';

const { APIError, APIStatusError, Client, SwingbridgeError } = swingbridge;
const BODY = { model: 'm', input: 'private words' };

const CLASSES = {
  400: ['BadRequestError', 'bad_request'],
  401: ['AuthenticationError', 'authentication_failed'],
  403: ['PermissionDeniedError', 'permission_denied'],
  404: ['NotFoundError', 'not_found'],
  409: ['ConflictError', 'conflict'],
  422: ['UnprocessableEntityError', 'unprocessable'],
  429: ['RateLimitError', 'rate_limited'],
  500: ['InternalServerError', 'server_failed'],
  503: ['InternalServerError', 'server_failed'],
  302: ['APIStatusError', 'redirected'],
  418: ['APIStatusError', 'status_unexpected'],
};

for (const [status, [name, code]] of Object.entries(CLASSES)) {
  test(`status ${status} is a ${name}`, async (t) => {
    const error = { message: 'said so', type: 'kind', code: 'why', param: 'input' };
    const service = await serviceFor(t, (_request, response) =>
      say(response, { error }, { status: Number(status), headers: { 'x-request-id': 'req_9' } }),
    );
    const reason = await reasonOf(service.client().responses.create(BODY));
    assert.equal(reason.constructor, swingbridge[name]);
    assert.ok(reason instanceof APIStatusError);
    assert.ok(reason instanceof APIError);
    assert.ok(reason instanceof SwingbridgeError);
    const { status: told, serviceCode, type, param, requestID } = reason;
    assert.deepEqual(
      { name: reason.name, code: reason.code, told, serviceCode, type, param, requestID },
      {
        name,
        code,
        told: Number(status),
        serviceCode: 'why',
        type: 'kind',
        param: 'input',
        requestID: 'req_9',
      },
    );
    assert.match(reason.message, /: said so$/);
  });
}

const CODES = JSON.parse(
  readFileSync(new URL('../../conformance/client_error_codes.json', import.meta.url), 'utf8'),
);
/** Of the answer, the machine or this package: no class of their own. */
const PLAIN = /^(reply_|event_|not_a_stream$|stream_failed$|no_randomness$)/;

test('every code of the native client has a class', () => {
  for (const code of CODES.client) {
    const { constructor } = errorOf(JSON.stringify({ code, message: 'words' }));
    assert.equal(constructor === APIError, PLAIN.test(code), code);
  }
  for (const code of CODES.settings) {
    assert.equal(errorClass(code), swingbridge.ConfigurationError, code);
  }
});

test('words of the service are bounded, and a status needs none', async (t) => {
  const bodies = [{ error: { message: 'x'.repeat(1e6) } }, '<html>', ''];
  const service = await serviceFor(t, (_request, response) =>
    say(response, bodies[service.requests.length - 1], { status: 400 }),
  );
  const { responses } = service.client();
  const long = await reasonOf(responses.create(BODY));
  assert.ok(long.message.length < 2_100);
  for (const _ of [1, 2]) {
    const reason = await reasonOf(responses.create(BODY));
    assert.equal(reason.code, 'bad_request');
    assert.doesNotMatch(reason.message, /html/);
  }
});

test('a connection that is refused', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  const client = new Client({ apiKey: KEY, baseURL: `http://127.0.0.1:${port}`, maxRetries: 0 });
  const reason = await reasonOf(client.responses.create(BODY));
  assert.ok(reason instanceof swingbridge.APIConnectionError);
  assert.equal(reason.code, 'connection_refused');
});

test('a connection that is lost within the answer', async (t) => {
  const service = await serviceFor(t, ({ socket }, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"id":');
    response.flushHeaders();
    socket.end();
  });
  const reason = await reasonOf(service.client().responses.create(BODY));
  assert.ok(reason instanceof swingbridge.APIConnectionError);
  assert.equal(reason.code, 'connection_lost_within_answer');
});

test('an answer that does not come in time', async (t) => {
  let closed;
  const service = await serviceFor(t, ({ socket }) => {
    closed = once(socket, 'close');
  });
  const reason = await reasonOf(service.client({ timeout: 20 }).responses.create(BODY));
  assert.ok(reason instanceof swingbridge.APIConnectionTimeoutError);
  assert.ok(reason instanceof swingbridge.APIConnectionError);
  assert.equal(reason.code, 'request_timeout');
  await closed;
});

test('a reply that is no JSON object', async (t) => {
  // The last is no UTF-8.
  const bodies = ['<html>', '[', '"text"', 'null', Buffer.from('{"a":"\xff"}', 'latin1')];
  const service = await serviceFor(t, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'req_2' });
    response.end(bodies[service.requests.length - 1]);
  });
  for (const _ of bodies) {
    const reason = await reasonOf(service.client().responses.create(BODY));
    assert.equal(reason.constructor, APIError);
    assert.deepEqual([reason.code, reason.requestID], ['reply_not_json', 'req_2']);
  }
});

test('a key goes to no other host', async (t) => {
  const other = await serviceFor(t, (_request, response) => say(response, RESPONSE));
  const service = await serviceFor(t, (_request, response) =>
    say(response, {}, { status: 307, headers: { location: `${other.baseURL}/responses` } }),
  );
  const reason = await reasonOf(service.client().responses.create(BODY));
  assert.equal(reason.code, 'redirected');
  assert.equal(other.requests.length, 0);
});

test('keys in headers and queries are hidden as the key is', async (t) => {
  const said = 'no Bearer planted-1, no planted-2, no planted-3';
  const service = await serviceFor(t, (_request, response) =>
    say(response, { error: { message: said, code: 'planted-2' } }, { status: 403 }),
  );
  const client = service.client({
    defaultHeaders: { Authorization: 'Bearer planted-1', 'X-Title': 'said' },
  });
  const options = { headers: { 'x-api-key': 'planted-2' }, query: { access_token: 'planted-3' } };
  for (const stream of [false, true]) {
    const reason = await reasonOf(client.responses.create({ ...BODY, stream }, options));
    assert.match(reason.message, /: no \(hidden\), no \(hidden\), no \(hidden\)$/);
    assert.equal(reason.serviceCode, '(hidden)');
    assert.doesNotMatch(inspect(reason, { depth: 9, showHidden: true }), /planted/);
  }
  const stopped = await reasonOf(
    new swingbridge.ResponsesToolRunner({}).run(client, BODY, { requestOptions: options }),
  );
  assert.equal(stopped.cause.code, 'permission_denied');
  assert.doesNotMatch(inspect(stopped, { depth: 9, showHidden: true }), /planted/);
});

test('no secret is shown, whatever is shown', async (t) => {
  const secrets = [KEY, 'planted-header', 'planted-query', 'planted-org', 'private words'];
  const service = await serviceFor(t, (_request, response) =>
    say(
      response,
      { error: { message: `the key ${KEY} is wrong`, code: KEY, type: KEY, param: KEY } },
      { status: 401, headers: { 'x-request-id': `req ${KEY}` } },
    ),
  );
  const client = service.client({
    organization: 'planted-org',
    defaultHeaders: { 'x-secret': 'planted-header' },
    defaultQuery: { secret: 'planted-query' },
  });
  const reason = await reasonOf(client.responses.create(BODY));
  assert.match(reason.message, /the key \(hidden\) is wrong/);
  const shown = [client, client.responses, reason].flatMap((value) => [
    inspect(value, { depth: 20, showHidden: true, getters: true }),
    JSON.stringify(value),
    String(value),
    JSON.stringify(Object.entries(Object.getOwnPropertyDescriptors(value))),
    value.stack,
  ]);
  for (const text of shown) {
    for (const secret of secrets) assert.ok(!text?.includes(secret), text);
  }
});
