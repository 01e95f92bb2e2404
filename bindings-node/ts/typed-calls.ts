/** The arguments of typed functions, parsed when a response comes in. */

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
  readonly text: string;
  readonly args: unknown;
  readonly isRefused: boolean;
}

interface FunctionCall {
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

  constructor(functions: readonly MaybeTyped[]) {
    for (const { declaration, parse } of functions) {
      if (parse !== undefined) this.#parsers.set((declaration as { name?: unknown }).name, parse);
    }
  }

  /** Lets go of what was parsed for the response before. */
  forget(): void {
    this.#parsed.clear();
  }

  /**
   * What a client gives, once the calls are parsed that `itemsOf` finds in it; as it is if no function
   * is typed. Rejects only as the client's promise does.
   */
  whenParsed(given: unknown, itemsOf: (given: unknown) => unknown): unknown {
    return this.#parsers.size === 0 ? given : this.#whenParsed(given, itemsOf);
  }

  async #whenParsed(given: unknown, itemsOf: (given: unknown) => unknown): Promise<unknown> {
    const settled = await given;
    try {
      for (const item of itemsOf(settled) as Iterable<unknown>) await this.#parse(item);
    } catch {
      // What cannot be read here is not parsed, and so it is refused.
    }
    return settled;
  }

  async #parse(item: unknown): Promise<void> {
    const call = this.#typedCall(item);
    // A call that is streamed comes again with its response: what it was executed with counts.
    if (call === undefined || this.#parsed.get(call.callId)?.text === call.text) return;
    this.#parsed.set(call.callId, await parsedOf(call));
  }

  /** What the core is told of output items, given their plain fields. */
  toldOf(items: unknown): unknown {
    return this.#parsers.size > 0 && Array.isArray(items)
      ? items.map((item) => this.told(item))
      : items;
  }

  /** What the core is told of an output item, given its plain fields. */
  told(item: unknown): unknown {
    const call = this.#typedCall(item);
    if (call === undefined) return item;
    const parsed = this.#parsed.get(call.callId);
    const isAccepted = parsed !== undefined && parsed.text === call.text && !parsed.isRefused;
    return isAccepted ? item : { ...(item as Fields), arguments: REFUSED };
  }

  /** What a function is called with: what its schema made of the arguments, or what their JSON says. */
  args(callId: string, text: string): unknown {
    const parsed = this.#parsed.get(callId);
    return parsed === undefined ? JSON.parse(text) : parsed.args;
  }

  #typedCall(item: unknown): FunctionCall | undefined {
    if (typeof item !== 'object' || item === null) return undefined;
    const { type, name, call_id: callId, arguments: text } = item as Fields;
    const parse = type === 'function_call' ? this.#parsers.get(name) : undefined;
    return parse !== undefined && typeof callId === 'string' && typeof text === 'string'
      ? { parse, callId, text }
      : undefined;
  }
}

async function parsedOf({ parse, text }: FunctionCall): Promise<Parsed> {
  try {
    return { text, args: await parse(text), isRefused: false };
  } catch {
    return { text, args: undefined, isRefused: true };
  }
}
