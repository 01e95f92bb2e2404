/** The computer-only loop with the npm `openai` client, against a scripted server on this machine (P-3). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { callNumber, CLICK, savedOutput, Screen, thrownBy } from '../computer/screen.js';
import { message, responseOf } from '../runner/double.js';

let server;
let script;
let requests;

before(async () => {
  server = createServer(async (request, response) => {
    requests.push(await json(request));
    const { status = 200, body } = script.shift();
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

test("the client's own response is handed back", async () => {
  const screen = new Screen();
  const item = callNumber(1, [{ ...CLICK, further: [1] }]);
  const client = clientFor(
    { body: responseOf([item]) },
    { body: responseOf([message('All done.')]) },
  );
  const response = await screen.run(client);
  // The client adds this to its own response objects.
  assert.equal(response.output_text, 'All done.');
  assert.deepEqual(requests[1].input, [{ role: 'user', content: 'go' }, item, savedOutput()]);
  assert.deepEqual(requests[1].tools, [{ type: 'computer' }]);
  assert.deepEqual(screen.log, ['click', 'screenshot']);
});

test("the client's own error comes out", async () => {
  const screen = new Screen();
  const error = { message: 'slow down', type: 'rate_limit', code: 'rate' };
  const client = clientFor({ body: responseOf([callNumber(1)]) }, { status: 429, body: { error } });
  const thrown = await thrownBy(() => screen.run(client));
  assert.ok(thrown.error instanceof OpenAI.RateLimitError);
});
