/** What the native client takes and gives. */

import type { ResponsesEvent, ResponsesItem } from '../runner-types.js';

/** Header fields by name: undefined ones count as absent, and null takes one of the client away. */
export type HeaderFields =
  Headers | readonly (readonly [name: string, value: string | null])[] | HeaderRecord;
type HeaderRecord = { readonly [name: string]: string | null | undefined };
/** Query fields by name; undefined ones count as absent. */
export type QueryFields = { readonly [name: string]: string | number | boolean | undefined };

/** Options of a {@link Client}. */
export interface ClientOptions {
  /** `OPENAI_API_KEY` if it is not given. */
  apiKey?: string | null | undefined;
  /** The address below which the service has its paths; `OPENAI_BASE_URL` if it is not given. */
  baseURL?: string | null | undefined;
  /** `OPENAI_ORG_ID` if it is not given. */
  organization?: string | null | undefined;
  /** `OPENAI_PROJECT_ID` if it is not given. */
  project?: string | null | undefined;
  /**
   * How the key is shown: as `Authorization: Bearer`, as `api-key`, as Azure wants it, or not at all,
   * for a server that asks for none. If it is not given: as Azure wants it with an `apiVersion`, else
   * as a bearer.
   */
  auth?: 'bearer' | 'api-key' | 'none' | undefined;
  /** The `api-version` of each address, as Azure wants it. */
  apiVersion?: string | null | undefined;
  /** Milliseconds for an answer, or for the beginning of a stream; ten minutes if it is not given. */
  timeout?: number | undefined;
  /** How often a request is sent again where that is safe; 2 if it is not given. */
  maxRetries?: number | undefined;
  /** Of each request. One of the same name in a request's options goes before it, null included. */
  defaultHeaders?: HeaderFields | undefined;
  /** Of each address. A field of the same name in a request's options goes before it. */
  defaultQuery?: QueryFields | undefined;
  /** Whether the proxies of the environment count; true if it is not given. */
  trustEnv?: boolean | undefined;
}

/** Options of one request. */
export interface ClientRequestOptions {
  /** Aborts the request, or its stream, and closes the socket. */
  signal?: AbortSignal | null | undefined;
  /** As in {@link ClientOptions}, for this request. */
  timeout?: number | undefined;
  maxRetries?: number | undefined;
  headers?: HeaderFields | undefined;
  query?: QueryFields | undefined;
  /** The same for all attempts; a random one if it is not given. */
  idempotencyKey?: string | undefined;
}

/** A request. Any field that the service knows may be given. */
export interface ResponseCreateParams {
  model?: string;
  input?: string | readonly ResponsesItem[];
  stream?: boolean | null;
  [field: string]: unknown;
}

/** A response as the service sent it, with all its fields. */
export interface ModelResponse {
  id: string;
  status?: string | null;
  output: ResponsesItem[];
  /** The texts of its messages, joined; added by the client. */
  output_text: string;
  /** The service's own name of the request; not enumerable. */
  readonly _request_id?: string | null;
  usage?: { input_tokens: number; output_tokens: number; total_tokens: number } | null;
  [field: string]: unknown;
}

/** An event as the service sent it, with all its fields. */
export interface ModelEvent extends ResponsesEvent {
  [field: string]: unknown;
}
