/** What a runner needs of a client, and what it says about the client's own types. */

import { ConfigurationError } from './errors.js';
import type { ResponsesEvent } from './runner-types.js';

/**
 * Anything with `responses.create(body, requestOptions)` that gives a response or a promise of one:
 * the clients of the `openai` package, a client of your own, a double in a test. The body is the client's to
 * edit, but for the items of its `input`: later requests have the same objects, because copying the whole
 * history for each of them would cost more with each.
 *
 * A run that streams uses `responses.stream(body, requestOptions)` if the client has it: an iterable of
 * events, perhaps with `finalResponse()`, which gives the response to hand back, and `abort()`. Otherwise
 * `create` gets `stream: true` and gives an iterable of events, perhaps with a `controller` to abort.
 */
export interface ResponsesClient {
  responses: {
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    create(body: any, requestOptions?: any): unknown;
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    stream?(body: any, requestOptions?: any): unknown;
  };
}

type Create<C extends ResponsesClient> = C['responses']['create'];

/** The client's own response type, without the streams that its `create` may give as well. */
export type ResponseOf<C extends ResponsesClient> = Exclude<
  Awaited<ReturnType<Create<C>>>,
  AsyncIterable<unknown>
>;

/** The client's own events: those of its `stream`, or of the streams that its `create` may give. */
export type EventOf<C extends ResponsesClient> = [
  C extends { responses: { stream(...args: never[]): infer Stream } }
    ? EventsIn<Awaited<Stream>>
    : EventsIn<Awaited<ReturnType<Create<C>>>>,
] extends [infer Event]
  ? [Event] extends [never]
    ? ResponsesEvent
    : Event
  : never;

type EventsIn<Stream> = Stream extends AsyncIterable<infer Event> ? Event : never;

/** The client's own request parameters. */
export type ParamsOf<C extends ResponsesClient> =
  Parameters<Create<C>> extends [infer Body, ...unknown[]] ? Body : object;

/** The client's own request options. */
export type RequestOptionsOf<C extends ResponsesClient> =
  Parameters<Create<C>> extends [unknown, (infer Options)?, ...unknown[]]
    ? NonNullable<Options>
    : object;

/** @throws ConfigurationError if there is nothing to call. */
export function requireClient(client: ResponsesClient): void {
  const responses: unknown = (client as Partial<ResponsesClient> | null | undefined)?.responses;
  if (typeof (responses as Partial<ResponsesClient['responses']>)?.create !== 'function') {
    throw new ConfigurationError('the client has no responses.create', 'client_invalid');
  }
}

export function signalOf(requestOptions: object | null | undefined): AbortSignal | undefined {
  const { signal } = (requestOptions ?? {}) as { signal?: AbortSignal | null };
  return signal ?? undefined;
}

/** The body is written here, and one from elsewhere would undo every check of it. */
export function refuseBody(requestOptions: object | null | undefined): void {
  if ((requestOptions as { body?: unknown } | null | undefined)?.body !== undefined) {
    throw new ConfigurationError(
      'requestOptions.body cannot be used in a run',
      'param_not_allowed',
    );
  }
}
