/** The native client (N-1, N-2): it needs no other package. */

import * as native from '../../native/native.js';
import { ConfigurationError, fromNative } from '../errors.js';
import { requireSignal } from '../signal.js';
import { ModelEventStream, namedAs, type Source } from './events.js';
import { Exchange } from './exchange.js';
import { headerPairs, requestText, settingsText, type HeaderChanges } from './settings.js';
import type {
  ClientOptions,
  ClientRequestOptions,
  ModelResponse,
  ResponseCreateParams,
} from './types.js';

type Sender = native.ExternalObject<native.Sender>;

/** What a run on this client needs of it. */
export interface Inside {
  readonly sender: Sender;
  readonly responses: ClientResponses;
  /** Pairs, as they were given. */
  readonly defaultHeaders: HeaderChanges;
}

/** Not fields of the client: nothing of it shows its headers. */
const INSIDES = new WeakMap<object, Inside>();

/** Sends requests to one service. Its connections end no sooner than its process, and keep none alive. */
export class Client {
  readonly responses: ClientResponses;

  /** @throws ConfigurationError (a TypeError) for options that cannot be used; they are not shown. */
  constructor(options?: ClientOptions | null) {
    const given = options ?? {};
    const sender = open(settingsText(given));
    const responses = new ClientResponses(sender);
    const defaultHeaders = headerPairs('defaultHeaders', given.defaultHeaders);
    INSIDES.set(this, { sender, responses, defaultHeaders });
    this.responses = responses;
  }
}

/** Requests for responses. */
export class ClientResponses {
  readonly #sender: Sender;

  /** Made by a {@link Client}. */
  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Asks for a response: a plain object, or with `stream: true` a stream of its events.
   *
   * Rejects with an APIError: one of a class of its own for each status, for a connection that failed,
   * for a time that ran out, and for an abort; with a ConfigurationError (a TypeError) for a body that is
   * no JSON object and for options that cannot be used.
   */
  create(
    body: ResponseCreateParams & { stream: true },
    options?: ClientRequestOptions | null,
  ): Promise<ModelEventStream>;
  create(
    body: ResponseCreateParams & { stream?: false | null },
    options?: ClientRequestOptions | null,
  ): Promise<ModelResponse>;
  create(
    body: ResponseCreateParams,
    options?: ClientRequestOptions | null,
  ): Promise<ModelResponse | ModelEventStream>;
  async create(
    body: ResponseCreateParams,
    options?: ClientRequestOptions | null,
  ): Promise<ModelResponse | ModelEventStream> {
    const text = bodyText(body);
    const settings = requestText(options ?? {});
    const exchange = new Exchange(requireSignal(options?.signal));
    if (body.stream === true) {
      const source = await exchange.run(
        (handle) => native.openEvents(this.#sender, handle, text, settings),
        textIn,
      );
      return new ModelEventStream(source as Source, exchange);
    }
    try {
      const reply = await exchange.run(
        (handle) => native.sendRequest(this.#sender, handle, text, settings),
        textIn,
      );
      return responseOf(reply as native.WholeReply);
    } finally {
      exchange.close();
    }
  }
}

const { create } = ClientResponses.prototype;

/** The inside of a client of this package whose requests nobody else looks after; undefined for any other. */
export function insideClient(client: unknown): Inside | undefined {
  const inside = INSIDES.get(client as object);
  if (inside === undefined) return undefined;
  const { responses } = client as Client;
  return responses === inside.responses && responses.create === create ? inside : undefined;
}

/** The default headers of a client of this package; undefined for any other. */
export function defaultHeadersIn(client: unknown): Inside['defaultHeaders'] | undefined {
  return INSIDES.get(client as object)?.defaultHeaders;
}

/** A failure is told as text, and nothing else is. */
export function textIn(outcome: unknown): string | undefined {
  return typeof outcome === 'string' ? outcome : undefined;
}

/** The response in its text, which the addon has seen to be an object, with what the client adds. */
export function responseOf({ body, requestId }: native.WholeReply): ModelResponse {
  const response: unknown = JSON.parse(body);
  const { output } = response as { output?: unknown };
  if (Array.isArray(output)) (response as ModelResponse).output_text = textOf(output as unknown[]);
  return namedAs(response as ModelResponse, requestId ?? null);
}

function textOf(output: readonly unknown[]): string {
  let text = '';
  for (const item of output as readonly OutputItem[]) {
    if (item?.type !== 'message' || !Array.isArray(item.content)) continue;
    for (const part of item.content as OutputItem[]) {
      if (part?.type === 'output_text' && typeof part.text === 'string') text += part.text;
    }
  }
  return text;
}

type OutputItem = { type?: unknown; content?: unknown; text?: unknown } | null | undefined;

function bodyText(body: ResponseCreateParams): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(body);
  } catch {
    throw new ConfigurationError('the body cannot be written as JSON', 'params_not_json');
  }
  if (text === undefined || !text.startsWith('{')) {
    throw new ConfigurationError('the body must be an object', 'params_not_an_object');
  }
  return text;
}

function open(settings: string): Sender {
  try {
    return native.openClient(settings, (name) => process.env[name] ?? null);
  } catch (error) {
    throw fromNative(error);
  }
}
