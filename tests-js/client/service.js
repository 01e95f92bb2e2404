/** A service on this machine, scripted by the tests. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Client } from 'swingbridge';

export const KEY = 'sk-planted-secret';

/** A whole response with one message. */
export const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  output: [
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [
        { type: 'output_text', text: 'Tisch für ', annotations: [] },
        { type: 'refusal', refusal: 'no' },
        { type: 'output_text', text: 'zwei 🍜', annotations: [] },
      ],
    },
  ],
};

/**
 * Starts a service that ends with the test. `answer(request, response)` gets `{ url, headers, socket, text,
 * body }` of each request, the body as it came and as JSON says it; what it was asked is in `requests`.
 */
export async function serviceFor(test, answer) {
  const requests = [];
  const server = createServer(async (incoming, response) => {
    const { url, headers, socket } = incoming;
    const sent = await text(incoming);
    const request = { url, headers, socket, text: sent, body: JSON.parse(sent) };
    requests.push(request);
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseURL = `http://127.0.0.1:${server.address().port}/v1`;
  return {
    requests,
    baseURL,
    client: (options = {}) => new Client({ apiKey: KEY, baseURL, maxRetries: 0, ...options }),
  };
}

/** Answers with JSON. */
export function say(response, body, { status = 200, headers = {} } = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Begins to answer with events. */
export function beginStream(response, headers = {}) {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
}

/** The text of an event. */
export function eventText(event) {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Resolves with a settled promise's reason. */
export function reasonOf(promise) {
  return promise.then(
    (value) => {
      throw new Error(`it gave ${JSON.stringify(value)}`);
    },
    (reason) => reason,
  );
}
