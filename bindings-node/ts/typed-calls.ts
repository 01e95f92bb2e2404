/** The arguments of typed functions, parsed when a response comes in. */

import { isThenable, promiseOf } from './pump.js';

type Fields = Record<string, unknown>;
/** Throws or rejects if the arguments are refused. */
export type Parse = (text: string) => unknown;

/** What is read of a registered function. */
export interface MaybeTyped {
  readonly declaration: unknown;
  /** Makes the arguments of a typed function; undefined if they are what the JSON says. */
  readonly parse: Parse | undefined;
}

interface Parsed {
  readonly args: unknown;
  readonly isRefused: boolean;
}

interface TypedCall {
  readonly parse: Parse;
  readonly callId: string;
  readonly text: string;
}

/** No JSON object: the core takes such arguments for invalid, and stops before anything is begun. */
const REFUSED = 'null';

/**
 * What the calls of one response are called with. The arguments of a typed function are parsed once,
 * before the core inspects its call: it learns of arguments that were refused as it learns of those that
 * are no JSON.
 */
export class TypedCalls {
  /** By the names of the typed functions. */
  readonly #parsers = new Map<unknown, Parse>();
  readonly #parsed = new Map<string, Parsed>();
  #hasRefused = false;

  constructor(functions: readonly MaybeTyped[]) {
    for (const { declaration, parse } of functions) {
      if (parse !== undefined) this.#parsers.set((declaration as { name?: unknown }).name, parse);
    }
  }

  /** Whether no function is typed. */
  get isEmpty(): boolean {
    return this.#parsers.size === 0;
  }

  /** The calls whose arguments were refused. */
  get refused(): string[] {
    if (!this.#hasRefused) return [];
    return [...this.#parsed].flatMap(([callId, { isRefused }]) => (isRefused ? [callId] : []));
  }

  /** Lets go of what was parsed for the response before. */
  forget(): void {
    this.#parsed.clear();
    this.#hasRefused = false;
  }

  /**
   * Parses the calls among these plain output items, in order. Gives a promise, which never rejects, if a
   * schema takes its time.
   */
  parse(items: readonly unknown[]): Promise<void> | undefined {
    if (this.isEmpty) return undefined;
    for (const [at, item] of items.entries()) {
      const pending = this.#parseItem(item);
      if (pending !== undefined) return this.#parseRest(pending, items.slice(at + 1));
    }
    return undefined;
  }

  /** What the core is told of items, once they were parsed, given the JSON of what it reads of them. */
  told(text: string): string {
    return this.#hasRefused
      ? JSON.stringify(JSON.parse(text, (_name, value: unknown) => this.#toldOf(value)))
      : text;
  }

  /** What a typed function is called with. @throws if nothing was parsed for the call. */
  args(callId: string): unknown {
    return (this.#parsed.get(callId) as Parsed).args;
  }

  async #parseRest(first: Promise<void>, rest: readonly unknown[]): Promise<void> {
    await first;
    for (const item of rest) await this.#parseItem(item);
  }

  #parseItem(item: unknown): Promise<void> | undefined {
    const call = this.#typedCall(item);
    // A call that is streamed comes again with its response, unchanged or to be refused by the core.
    if (call === undefined || this.#parsed.has(call.callId)) return undefined;
    const { parse, callId, text } = call;
    const accept = (args: unknown): void => {
      this.#parsed.set(callId, { args, isRefused: false });
    };
    const refuse = (): void => {
      this.#parsed.set(callId, { args: undefined, isRefused: true });
      this.#hasRefused = true;
    };
    try {
      const args = parse(text);
      if (isThenable(args)) return promiseOf(args).then(accept, refuse);
      accept(args);
    } catch {
      refuse();
    }
    return undefined;
  }

  #toldOf(item: unknown): unknown {
    const call = this.#typedCall(item);
    return call !== undefined && this.#parsed.get(call.callId)?.isRefused === true
      ? { ...(item as Fields), arguments: REFUSED }
      : item;
  }

  #typedCall(item: unknown): TypedCall | undefined {
    if (typeof item !== 'object' || item === null) return undefined;
    const { type, name, call_id: callId, arguments: text } = item as Fields;
    const parse = type === 'function_call' ? this.#parsers.get(name) : undefined;
    return parse !== undefined && typeof callId === 'string' && typeof text === 'string'
      ? { parse, callId, text }
      : undefined;
  }
}
