/** The functions of a runner, as they are registered and called. */

import { ConfigurationError } from './errors.js';
import { isThenable, promiseOf } from './pump.js';
import { typedExecution } from './runner-function.js';
import type { RunnerFunction } from './runner-types.js';
import { functionOutputOf, knownFieldsOf, type Snapshot } from './snapshot.js';
import { TypedCalls, type Parse } from './typed-calls.js';
import type { ExecutionContext } from './types.js';

/** A function as it was registered. */
export interface RegisteredFunction {
  /** A copy of the declaration. */
  readonly declaration: unknown;
  readonly owner: object;
  readonly execute: (...args: unknown[]) => unknown;
  /** Makes the arguments of a typed function; undefined if they are what the JSON says. */
  readonly parse: Parse | undefined;
  /** JSON of what the core reads. */
  readonly known: string;
}

/** @throws ConfigurationError for what cannot be declared or called. */
export function register(registered: RunnerFunction): RegisteredFunction {
  const { tool, execute, allowOutputOverride, independent } = registered ?? {};
  if (typeof execute !== 'function') {
    throw new ConfigurationError('a function needs execute', 'function_declaration');
  }
  for (const flag of [allowOutputOverride, independent]) {
    if (flag !== undefined && typeof flag !== 'boolean') {
      throw new ConfigurationError('the flags of a function are booleans', 'function_declaration');
    }
  }
  const declaration = copyOf(tool);
  const typed = typedExecution(execute);
  const flags = `"allows_override":${allowOutputOverride === true},"is_independent":${independent === true}`;
  return {
    declaration,
    execute: (typed?.call ?? execute) as RegisteredFunction['execute'],
    parse: typed?.parse,
    owner: registered,
    known: `{"tool":${knownFieldsOf(declaration)},${flags}}`,
  };
}

function copyOf(tool: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(tool) ?? 'null');
  } catch {
    throw new ConfigurationError(
      'the declaration of a function cannot be written as JSON',
      'function_declaration',
    );
  }
}

/** A call that the core asks for. */
interface FunctionCall {
  index: number;
  call_id: string;
  /** JSON text of an object. */
  arguments: string;
}

/** The calls of one run. */
export class FunctionCalls {
  readonly typed: TypedCalls;
  readonly #functions: readonly RegisteredFunction[];
  /** Those that were begun beside everything else, by call id. What they return is copied at once. */
  readonly #started = new Map<string, Promise<Snapshot>>();

  constructor(functions: readonly RegisteredFunction[]) {
    this.#functions = functions;
    this.typed = new TypedCalls(functions);
  }

  /** Functions that were started and not awaited yet. */
  get running(): Promise<unknown> | undefined {
    return this.#started.size === 0 ? undefined : Promise.allSettled(this.#started.values());
  }

  call({ index, call_id, arguments: text }: FunctionCall, context: ExecutionContext): unknown {
    const { execute, owner, parse } = this.#functions[index] as RegisteredFunction;
    const args = parse === undefined ? JSON.parse(text) : this.typed.args(call_id);
    return Reflect.apply(execute, owner, [args, context]);
  }

  start(call: FunctionCall, context: ExecutionContext): void {
    let value: unknown;
    let isPending: boolean;
    try {
      value = this.call(call, context);
      isPending = isThenable(value);
      // A value that is there is copied before anybody can change it.
      if (!isPending) value = functionOutputOf(value);
    } catch (error) {
      this.#keep(call.call_id, Promise.reject(error as Error));
      return;
    }
    const output = isPending ? promiseOf(value).then(functionOutputOf) : (value as Snapshot);
    this.#keep(call.call_id, Promise.resolve(output));
  }

  /** What a started function gives; nobody waits for it twice. */
  async finish(callId: string): Promise<Snapshot> {
    try {
      return await (this.#started.get(callId) as Promise<Snapshot>);
    } finally {
      this.#started.delete(callId);
    }
  }

  #keep(callId: string, output: Promise<Snapshot>): void {
    // Its failure is heard of when it is awaited.
    output.catch(() => undefined);
    this.#started.set(callId, output);
  }
}
