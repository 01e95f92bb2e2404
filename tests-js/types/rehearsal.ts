/** Code that must type-check, and code that must not, around the rehearsal server. Never run. */
import { Client, SwingbridgeError } from 'swingbridge';
import {
  RehearsalServer,
  ScriptError,
  type RehearsalOptions,
  type RehearsedRequest,
} from 'swingbridge/rehearsal';

const options: RehearsalOptions = {
  port: 8080,
  apiKey: 'k',
  transcript: new URL('file:///run.jsonl'),
  keepBodies: false,
};
const server: RehearsalServer = await RehearsalServer.start('turns: []', options);
await RehearsalServer.start({ turns: [{ message: 'one' }] }, { port: null, apiKey: undefined });
await RehearsalServer.fromFile('script.yaml', null);
await RehearsalServer.replay(new URL('file:///run.jsonl'));
// @ts-expect-error a server is started, not made
new RehearsalServer();
// @ts-expect-error a script is a text or an object
await RehearsalServer.start(7);
// @ts-expect-error a port is a number
await RehearsalServer.start('turns: []', { port: '80' });

new Client({ baseURL: server.url, apiKey: 'any' });
const left: number = server.turnsLeft;
const requests: RehearsedRequest[] = server.requests();
for (const request of requests) {
  const key: string | null = request.idempotencyKey;
  const body: Uint8Array = request.body;
  const turn: number | null = request.turn;
  const refusal: string | null = request.refusal;
  const words: string = `${request.path} ${request.status} ${request.json().input}`;
  // @ts-expect-error its fields stay as they are
  request.status = 200;
}
const stopped: Promise<void> = server.stop();
const disposed: Promise<void> = server[Symbol.asyncDispose]();

declare const error: unknown;
if (error instanceof ScriptError) {
  const place: string = error.place;
  const base: SwingbridgeError = error;
}
