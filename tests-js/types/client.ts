/** Code that must type-check, and code that must not, around the native client. Never run. */
import {
  APIError,
  APIStatusError,
  Client,
  RateLimitError,
  ResponsesToolRunner,
  type ClientOptions,
  type EventOf,
  type ModelEvent,
  type ModelEventStream,
  type ModelResponse,
  type ParamsOf,
  type RequestOptionsOf,
  type ClientRequestOptions,
  type ResponseCreateParams,
  type ResponseOf,
  type ResponsesClient,
} from 'swingbridge';

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(..._proof: Same<A, B> extends true ? [] : [never]): void => undefined;

const client = new Client();
new Client({ apiKey: null, baseURL: undefined, auth: 'api-key', apiVersion: '2025-04-01-preview' });
new Client({ defaultHeaders: new Headers(), defaultQuery: { a: 1, b: true, c: undefined } });
// @ts-expect-error there is no such way to show a key
new Client({ auth: 'basic' });
// @ts-expect-error it is baseURL
new Client({ baseUrl: 'http://127.0.0.1' } satisfies ClientOptions);

// What comes depends on `stream`.
const body = { model: 'm', input: 'go' };
const whole = await client.responses.create(body);
const streamed = await client.responses.create({ ...body, stream: true });
const either = await client.responses.create({ ...body, stream: Math.random() > 0.5 });
same<typeof whole, ModelResponse>();
same<typeof streamed, ModelEventStream>();
same<typeof either, ModelResponse | ModelEventStream>();
const text: string = whole.output_text;
for await (const event of streamed) {
  same<typeof event, ModelEvent>();
}
await client.responses.create(body, { signal: AbortSignal.timeout(1), timeout: 1, maxRetries: 0 });
// @ts-expect-error the signal must be one
await client.responses.create(body, { signal: 'stop' });
// @ts-expect-error a header is a text
await client.responses.create(body, { headers: { a: 1 } });

// A runner takes it as any other client.
const some: ResponsesClient = client;
same<ResponseOf<Client>, ModelResponse>();
same<EventOf<Client>, ModelEvent>();
same<ParamsOf<Client>, ResponseCreateParams>();
same<RequestOptionsOf<Client>, ClientRequestOptions>();
const response: ModelResponse = await new ResponsesToolRunner({}).run(client, body, {
  stream: true,
  onEvent: (event: ModelEvent) => void event.type,
  requestOptions: { idempotencyKey: 'k' },
});

declare const error: unknown;
if (error instanceof APIError) {
  const status: number | undefined = error.status;
  const id: string | undefined = error.requestID;
}
if (error instanceof RateLimitError) {
  const status: number = error.status;
  const base: APIStatusError = error;
}
