/** Runs with the npm `openai` client, against a scripted server on this machine (P-3). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { ResponsesToolRunner, ResponsesToolRunnerError } from 'swingbridge';
import { functionCall, lookup, message, responseOf } from '../runner/double.js';
import { IMAGE, toolsetOf } from '../support.js';

const PARAMS = { model: 'm', input: 'Book a table.' };

let server;
let script;
let requests;

before(async () => {
  server = createServer(async (request, response) => {
    requests.push({ path: request.url, headers: request.headers, body: await json(request) });
    const { status = 200, body } = script.shift() ?? { status: 500, body: {} };
    if (body === undefined) return;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

after(() => {
  server.closeAllConnections();
  server.close();
});

function clientFor(...entries) {
  script = entries;
  requests = [];
  const { port } = server.address();
  return new OpenAI({ apiKey: 'k', baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 0 });
}

test("a whole task with the client's own response at the end", async () => {
  const browser = toolsetOf({ click() {}, screenshot: () => IMAGE });
  const calls = [
    { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'opaque', status: null },
    functionCall('browser_click', { target: 'e1', tab_id: null }, 'c1'),
    functionCall('browser_screenshot', { tab_id: null }, 'c2'),
    functionCall('lookup', { day: 1 }, 'c3'),
  ];
  const client = clientFor({ body: responseOf(calls) }, { body: responseOf([message('Booked.')]) });
  const runner = new ResponsesToolRunner({ browser, functions: [lookup(() => 'free')] });
  const response = await runner.run(client, PARAMS, {
    requestOptions: { headers: { 'x-test': 'kept' } },
  });
  // The client adds this to its own response objects.
  assert.equal(response.output_text, 'Booked.');
  assert.deepEqual(
    requests.map(({ path, headers }) => [path, headers['x-test']]),
    [
      ['/v1/responses', 'kept'],
      ['/v1/responses', 'kept'],
    ],
  );
  const { input, tools, include } = requests[1].body;
  assert.deepEqual(input.slice(1, 5), calls);
  assert.deepEqual(
    input.slice(5).map(({ type, call_id }) => [type, call_id]),
    ['c1', 'c2', 'c3'].map((id) => ['function_call_output', id]),
  );
  assert.deepEqual(include, ['reasoning.encrypted_content']);
  assert.equal(tools.length, browser.tools().length + 1);
});

test('an error of the service is the cause', async () => {
  const error = { message: 'no such model', type: 'invalid_request_error', code: 'model' };
  const client = clientFor({ status: 404, body: { error } });
  const thrown = await new ResponsesToolRunner({})
    .run(client, PARAMS)
    .then(assert.fail, (reason) => reason);
  assert.ok(thrown instanceof ResponsesToolRunnerError);
  assert.equal(thrown.code, 'request_failed');
  assert.ok(thrown.cause instanceof OpenAI.NotFoundError);
  assert.equal(thrown.cause.status, 404);
});

test('an abort ends a request that the service does not answer', async () => {
  const client = clientFor({});
  const controller = new AbortController();
  const running = new ResponsesToolRunner({}).run(client, PARAMS, { signal: controller.signal });
  while (requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  await assert.rejects(running, { code: 'run_cancelled' });
});
