/** Servers of one test's own, and clients of them. */
import { Client } from 'swingbridge';
import { RehearsalServer } from 'swingbridge/rehearsal';

/** A server that ends with the test. */
export async function serverFor(test, script, options) {
  const server = await RehearsalServer.start(script, options);
  test.after(() => server.stop());
  return server;
}

/** A client that asks each request once. */
export function clientOf({ url }, options = {}) {
  return new Client({ baseURL: url, apiKey: 'any', maxRetries: 0, ...options });
}

/** Asks for one response in words. */
export async function ask(server, input = 'go') {
  const response = await clientOf(server).responses.create({ model: 'm', input });
  return response.output_text;
}

/** A script of messages. */
export function saying(...messages) {
  return { turns: messages.map((message) => ({ message })) };
}
