/** The requests of a run: their bodies, and what the client is told besides. */

import * as native from '../native/native.js';
import { defaultHeadersIn } from './client/client.js';
import type { HistoryUpdate, Projection } from './history.js';
import { detachedCopyOf } from './snapshot.js';

/** The request that the core asks for. What is absent does not hold. */
export interface TurnRequest extends HistoryUpdate {
  step: number;
  include: string[];
  projection?: Exclude<Projection, undefined>;
  relaxes_choice?: true;
  /** Whether the computer is to be declared, because the caller did not. */
  adds_computer?: true;
  streams?: true;
  no_retries?: true;
  withholds_tools?: true;
  disables_truncation?: true;
}

type Fields = Record<string, unknown>;

/**
 * Makes each body anew, because a client may edit it. Only the items of the input are the same objects
 * each time: to copy all of them each time would take longer with each request.
 */
export class RequestBodies {
  readonly #others: Fields;
  readonly #declared: readonly unknown[];
  readonly #registered: readonly unknown[];

  /** Plain data of this package's own: the parameters without the input, and the registered tools. */
  constructor(others: Fields, registered: readonly unknown[]) {
    const { tools, ...rest } = others;
    this.#others = rest;
    this.#declared = Array.isArray(tools) ? (tools as unknown[]) : [];
    this.#registered = registered;
  }

  make(request: TurnRequest, input: unknown[]): Fields {
    const body: Fields = { ...detachedCopyOf(this.#others), input, include: request.include };
    if (request.withholds_tools) {
      // The model cannot choose what is not there.
      delete body['tool_choice'];
      body['tools'] = detachedCopyOf(this.#declared.filter((tool) => !isComputer(tool)));
    } else {
      body['tools'] = this.tools(request.adds_computer === true);
      if (request.relaxes_choice) body['tool_choice'] = 'auto';
    }
    if (request.disables_truncation) body['truncation'] = 'disabled';
    return body;
  }

  get declaresComputer(): boolean {
    return this.#declared.some(isComputer);
  }

  /** The tools that the caller did not declare. */
  localTools(hasComputer: boolean): unknown[] {
    const addsComputer = hasComputer && !this.declaresComputer;
    return [...this.#registered, ...(addsComputer ? [COMPUTER] : [])];
  }

  /** All tools, in the order in which every language declares and saves them (P-5). */
  tools(addsComputer: boolean): unknown[] {
    const added = addsComputer ? [COMPUTER] : [];
    return detachedCopyOf([...this.#registered, ...added, ...this.#declared]);
  }
}

const COMPUTER = { type: 'computer' };

function isComputer(tool: unknown): boolean {
  const { type } = (tool ?? {}) as { type?: unknown };
  return typeof type === 'string' && native.isComputerTool(type);
}

const KEY_HEADER = 'Idempotency-Key';

/** The caller's request options, with the signal that counts and what each step needs. */
export class StepOptions {
  readonly #client: unknown;
  readonly #given: Fields;
  readonly #signal: AbortSignal | undefined;

  constructor(client: unknown, given: object | null | undefined, signal: AbortSignal | undefined) {
    this.#client = client;
    this.#given = (given ?? undefined) as Fields;
    this.#signal = signal;
  }

  /** The caller's own object where nothing is to be changed. */
  make({ step, no_retries }: TurnRequest): object | undefined {
    const changes: Fields = step > 1 ? this.#keyOf(step) : {};
    if (this.#signal !== (this.#given?.['signal'] ?? undefined)) changes['signal'] = this.#signal;
    // A retry could repeat what nobody would know of.
    if (no_retries) changes['maxRetries'] = 0;
    return Object.keys(changes).length === 0 ? this.#given : { ...this.#given, ...changes };
  }

  /** Retries of a step share a key, and another step has another one. */
  #keyOf(step: number): Fields {
    const { idempotencyKey, headers } = (this.#given ?? {}) as Fields;
    const changes: Fields = {};
    if (typeof idempotencyKey === 'string') {
      changes['idempotencyKey'] = native.stepKey(idempotencyKey, step);
    }
    const own = headerIn(headers);
    // A request's header, one that is null included, goes before the client's.
    const key = own === undefined ? headerIn(defaultHeadersOf(this.#client)) : own;
    if (typeof key === 'string') {
      changes['headers'] = withHeader(headers, native.stepKey(key, step));
    }
    return changes;
  }
}

/** The clients of the `openai` package keep them in a field. */
function defaultHeadersOf(client: unknown): unknown {
  const own = defaultHeadersIn(client);
  if (own !== undefined) return own;
  try {
    return (client as { _options?: { defaultHeaders?: unknown } })._options?.defaultHeaders;
  } catch {
    return undefined;
  }
}

function isKeyHeader(name: unknown): boolean {
  return typeof name === 'string' && name.toLowerCase() === KEY_HEADER.toLowerCase();
}

/** The key in headers of any of the forms that `fetch` takes; undefined if they do not name it. */
function headerIn(headers: unknown): unknown {
  if (typeof headers !== 'object' || headers === null) return undefined;
  if (headers instanceof Headers) return headers.get(KEY_HEADER) ?? undefined;
  const pairs: readonly unknown[] = Array.isArray(headers) ? headers : Object.entries(headers);
  for (const pair of pairs) {
    if (Array.isArray(pair) && isKeyHeader(pair[0])) return pair[1];
  }
  return undefined;
}

/** The same headers with this key, in the form in which they were given. */
function withHeader(headers: unknown, key: string): unknown {
  if (headers instanceof Headers) {
    const changed = new Headers(headers);
    changed.set(KEY_HEADER, key);
    return changed;
  }
  if (Array.isArray(headers)) {
    const others = (headers as [unknown, unknown][]).filter(([name]) => !isKeyHeader(name));
    return [...others, [KEY_HEADER, key]];
  }
  const others = Object.entries((headers ?? {}) as Fields).filter(([name]) => !isKeyHeader(name));
  return Object.fromEntries([...others, [KEY_HEADER, key]]);
}
