/** Whole replies of the native client (N-1, N-2). */
import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { APIUserAbortError, Client, ConfigurationError } from 'swingbridge';
import { KEY, reasonOf, RESPONSE, say, serviceFor } from './service.js';

const BODY = { model: 'm', input: [{ role: 'user', content: 'Ein Tisch für zwei 🍜' }] };

test('a response is a plain object with the texts of its messages', async (t) => {
  const service = await serviceFor(t, (_request, response) =>
    say(response, RESPONSE, { headers: { 'x-request-id': 'req_1' } }),
  );
  const response = await service.client().responses.create(BODY);
  assert.deepEqual(response, { ...RESPONSE, output_text: 'Tisch für zwei 🍜' });
  assert.equal(Object.getPrototypeOf(response), Object.prototype);
  assert.equal(response._request_id, 'req_1');
  const [{ url, headers, body }] = service.requests;
  assert.equal(url, '/v1/responses');
  assert.deepEqual(body, BODY);
  assert.equal(headers.authorization, `Bearer ${KEY}`);
  assert.equal(headers['content-type'], 'application/json');
  assert.match(headers['user-agent'], /^swingbridge\//);
});

test('what is no list of output is left as it is', async (t) => {
  const service = await serviceFor(t, (_request, response) => say(response, { id: 'x' }));
  assert.deepEqual(await service.client().responses.create(BODY, null), { id: 'x' });
});

test('a compressed reply is read', async (t) => {
  const service = await serviceFor(t, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(gzipSync(JSON.stringify(RESPONSE)));
  });
  assert.equal((await service.client().responses.create(BODY)).id, 'resp_1');
});

test('the settings of a client and the options of a request are on the wire', async (t) => {
  const service = await serviceFor(t, (_request, response) => say(response, RESPONSE));
  const client = service.client({
    auth: 'api-key',
    apiVersion: '2025-04-01-preview',
    organization: 'org_1',
    project: 'proj_1',
    defaultHeaders: { 'x-client': 'c', 'x-both': 'client' },
    defaultQuery: { deployment: 'a b', absent: undefined },
  });
  await client.responses.create(BODY, {
    headers: new Headers({ 'x-both': 'request' }),
    query: { trace: true, count: 2 },
    idempotencyKey: 'key_1',
  });
  const [{ url, headers }] = service.requests;
  const { pathname, searchParams } = new URL(url, service.baseURL);
  assert.equal(pathname, '/v1/responses');
  assert.deepEqual(Object.fromEntries(searchParams), {
    deployment: 'a b',
    'api-version': '2025-04-01-preview',
    trace: 'true',
    count: '2',
  });
  const names = ['openai-organization', 'openai-project', 'x-client', 'x-both', 'idempotency-key'];
  assert.deepEqual(
    names.map((name) => headers[name]),
    ['org_1', 'proj_1', 'c', 'request', 'key_1'],
  );
  assert.deepEqual([headers['api-key'], headers.authorization], [KEY, undefined]);
});

test('headers come in every form that fetch takes', async (t) => {
  const service = await serviceFor(t, (_request, response) => say(response, RESPONSE));
  const forms = [{ 'X-Form': 'a' }, [['x-form', 'b']], new Headers({ 'x-form': 'c' })];
  for (const headers of forms) await service.client().responses.create(BODY, { headers });
  assert.deepEqual(
    service.requests.map(({ headers }) => headers['x-form']),
    ['a', 'b', 'c'],
  );
});

test('the environment fills what is not given', async (t) => {
  const service = await serviceFor(t, (_request, response) => say(response, RESPONSE));
  const variables = {
    OPENAI_API_KEY: 'sk-env',
    OPENAI_BASE_URL: service.baseURL,
    OPENAI_ORG_ID: 'org_env',
    OPENAI_PROJECT_ID: 'proj_env',
  };
  const before = { ...process.env };
  t.after(() => {
    for (const name of Object.keys(variables)) {
      if (name in before) process.env[name] = before[name];
      else delete process.env[name];
    }
  });
  Object.assign(process.env, variables);
  await new Client().responses.create(BODY);
  await new Client({ apiKey: 'sk-given', organization: 'org_given' }).responses.create(BODY);
  const shown = service.requests.map(({ headers }) => [
    headers.authorization,
    headers['openai-organization'],
    headers['openai-project'],
  ]);
  assert.deepEqual(shown, [
    ['Bearer sk-env', 'org_env', 'proj_env'],
    ['Bearer sk-given', 'org_given', 'proj_env'],
  ]);
  delete process.env.OPENAI_API_KEY;
  assert.throws(() => new Client(), { name: 'ConfigurationError', code: 'api_key_missing' });
  await new Client({ auth: 'none' }).responses.create(BODY);
  assert.equal(service.requests[2].headers.authorization, undefined);
});

test('many requests share few connections', async (t) => {
  const service = await serviceFor(t, (_request, response) => say(response, RESPONSE));
  const client = service.client();
  for (let count = 0; count < 20; count += 1) await client.responses.create(BODY);
  // A connection may be given back a moment after its reply is there, when another one stands already.
  assert.ok(new Set(service.requests.map(({ socket }) => socket)).size < 10);
});

test('requests run beside each other', async (t) => {
  const waiting = [];
  const service = await serviceFor(t, (request, response) => {
    waiting.push(() => say(response, { id: request.body.model }));
    // Nobody is answered before all are here.
    if (waiting.length === 32) waiting.forEach((answer) => answer());
  });
  const client = service.client();
  const names = Array.from({ length: 32 }, (_, index) => `m${index}`);
  const responses = await Promise.all(names.map((model) => client.responses.create({ model })));
  assert.deepEqual(
    responses.map(({ id }) => id),
    names,
  );
});

for (const header of [{ 'retry-after-ms': '0' }, { 'retry-after': '0' }]) {
  test(`a request is sent again after ${Object.keys(header)}, with its key`, async (t) => {
    const service = await serviceFor(t, (_request, response) =>
      service.requests.length < 3
        ? say(response, {}, { status: [429, 503][service.requests.length - 1], headers: header })
        : say(response, RESPONSE),
    );
    const response = await service.client().responses.create(BODY, { maxRetries: 2 });
    assert.equal(response.id, 'resp_1');
    const keys = service.requests.map(({ headers }) => headers['idempotency-key']);
    assert.equal(keys.length, 3);
    assert.equal(new Set(keys).size, 1);
    assert.ok(keys[0].length > 0);
  });
}

test('the client says how often, and a request may say otherwise', async (t) => {
  const service = await serviceFor(t, (_request, response) =>
    say(response, {}, { status: 500, headers: { 'retry-after-ms': '0' } }),
  );
  const client = service.client({ maxRetries: 1 });
  await reasonOf(client.responses.create(BODY));
  assert.equal(service.requests.length, 2);
  await reasonOf(client.responses.create(BODY, { maxRetries: 0 }));
  assert.equal(service.requests.length, 3);
});

test('an abort closes the socket and leaves no listener', async (t) => {
  const abort = new AbortController();
  let closed;
  const service = await serviceFor(t, ({ socket }) => {
    closed = once(socket, 'close');
    abort.abort(new Error('changed my mind'));
  });
  const pending = service.client().responses.create(BODY, { signal: abort.signal });
  assert.equal(getEventListeners(abort.signal, 'abort').length, 1);
  const reason = await reasonOf(pending);
  assert.ok(reason instanceof APIUserAbortError);
  assert.equal(reason.code, 'aborted');
  assert.equal(reason.cause, abort.signal.reason);
  await closed;
  assert.equal(getEventListeners(abort.signal, 'abort').length, 0);
});

test('an abort ends the wait between attempts', async (t) => {
  const abort = new AbortController();
  const service = await serviceFor(t, (_request, response) => {
    say(response, {}, { status: 429, headers: { 'retry-after': '60' } });
    response.on('close', () => abort.abort());
  });
  const options = { signal: abort.signal, maxRetries: 5 };
  assert.equal((await reasonOf(service.client().responses.create(BODY, options))).code, 'aborted');
  assert.equal(service.requests.length, 1);
});

test('nothing is sent with a signal that is aborted already', async (t) => {
  const service = await serviceFor(t, (_request, response) => say(response, RESPONSE));
  const signal = AbortSignal.abort();
  const reason = await reasonOf(service.client().responses.create(BODY, { signal }));
  assert.ok(reason instanceof APIUserAbortError);
  assert.equal(service.requests.length, 0);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('no listener stays after a reply', async (t) => {
  const service = await serviceFor(t, (_request, response) => say(response, RESPONSE));
  const { signal } = new AbortController();
  await service.client().responses.create(BODY, { signal });
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

const OTHERWISE = {
  'a key with a line end': [{ apiKey: 'a\nb' }, 'api_key_invalid'],
  'a key that is no text': [{ apiKey: 1 }, 'option_invalid'],
  'an address of another scheme': [{ baseURL: 'ftp://localhost' }, 'base_url_invalid'],
  'an address with a password': [{ baseURL: 'http://u:p@localhost' }, 'base_url_credentials'],
  'an organization with a line end': [{ organization: 'a\r\nb' }, 'account_invalid'],
  'a header that the transport sets': [
    { defaultHeaders: { Host: 'other' } },
    'default_header_invalid',
  ],
  'headers that are no fields': [{ defaultHeaders: { a: 1 } }, 'option_invalid'],
  'a query that is no field': [{ defaultQuery: { a: {} } }, 'option_invalid'],
  'a flag that is none': [{ trustEnv: 1 }, 'option_invalid'],
  'another way to show a key': [{ auth: 'basic' }, 'option_invalid'],
  'a time that is none': [{ timeout: Number.NaN }, 'option_invalid'],
  'no time': [{ timeout: 0 }, 'option_invalid'],
  'half a retry': [{ maxRetries: 0.5 }, 'option_invalid'],
};

for (const [name, [options, code]] of Object.entries(OTHERWISE)) {
  test(`a client refuses ${name}`, () => {
    assert.throws(
      () => new Client({ apiKey: KEY, baseURL: 'http://127.0.0.1:1', ...options }),
      (error) => error instanceof ConfigurationError && error.code === code,
    );
  });
}

test('a header that is null takes one away', async (t) => {
  const service = await serviceFor(t, (_request, response) => say(response, RESPONSE));
  const client = service.client({
    organization: 'org',
    defaultHeaders: { 'x-one': '1', 'x-two': '2', 'openai-organization': null },
  });
  const forms = [{ 'X-Two': null, 'x-absent': undefined }, [['x-two', null]], undefined];
  for (const headers of forms) await client.responses.create(BODY, { headers });
  const sent = service.requests.map(({ headers }) => [
    headers['x-one'],
    headers['x-two'],
    headers['openai-organization'],
  ]);
  assert.deepEqual(sent, [
    ['1', undefined, undefined],
    ['1', undefined, undefined],
    ['1', '2', undefined],
  ]);
});

test('an api version shows the key as Azure wants it, unless something else is said', async (t) => {
  const service = await serviceFor(t, (_request, response) => say(response, RESPONSE));
  const apiVersion = '2025-04-01-preview';
  await service.client({ apiVersion }).responses.create(BODY);
  await service.client({ apiVersion, auth: 'bearer' }).responses.create(BODY);
  const sent = service.requests.map(({ url, headers }) => [
    url,
    headers['api-key'],
    headers.authorization,
  ]);
  const url = `/v1/responses?api-version=${apiVersion}`;
  assert.deepEqual(sent, [
    [url, KEY, undefined],
    [url, undefined, `Bearer ${KEY}`],
  ]);
});

test('a proxy of the environment counts unless something else is said', async (t) => {
  const proxy = await serviceFor(t, (_request, response) => say(response, RESPONSE));
  const before = { ...process.env };
  t.after(() => Object.assign(process.env, before));
  for (const name of Object.keys(before)) if (/_proxy$/i.test(name)) delete process.env[name];
  process.env.HTTP_PROXY = new URL(proxy.baseURL).origin;
  t.after(() => delete process.env.HTTP_PROXY);
  const baseURL = 'http://service.invalid/v1';
  const asked = proxy.client({ baseURL }).responses.create(BODY);
  assert.equal((await asked).id, 'resp_1');
  const direct = proxy.client({ baseURL, trustEnv: false }).responses.create(BODY);
  assert.equal((await reasonOf(direct)).code, 'name_not_resolved');
  assert.deepEqual(
    proxy.requests.map(({ url }) => url),
    [`${baseURL}/responses`],
  );
});

test('a request refuses what cannot be sent, and nothing is sent', async (t) => {
  const service = await serviceFor(t, (_request, response) => say(response, RESPONSE));
  const { responses } = service.client();
  const cycle = {};
  cycle.cycle = cycle;
  for (const body of [undefined, null, 'text', []]) {
    assert.equal((await reasonOf(responses.create(body))).code, 'params_not_an_object');
  }
  for (const body of [cycle, { metadata: 1n << 70n }]) {
    assert.equal((await reasonOf(responses.create(body))).code, 'params_not_json');
  }
  const options = [
    [{ headers: { authorization: 'a\nb' } }, 'request_header_invalid'],
    [{ headers: { 'x-number': 1 } }, 'option_invalid'],
    [{ query: { 'x-null': null } }, 'option_invalid'],
    [{ signal: {} }, 'signal_invalid'],
    [{ timeout: -1 }, 'option_invalid'],
    [{ idempotencyKey: 'a\nb' }, 'request_header_invalid'],
  ];
  for (const [given, code] of options) {
    const reason = await reasonOf(responses.create(BODY, given));
    assert.ok(reason instanceof ConfigurationError, code);
    assert.equal(reason.code, code);
  }
  assert.equal(service.requests.length, 0);
});
