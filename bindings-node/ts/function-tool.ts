/** Strict function tools that carry the parser of their arguments and what runs them. */

import * as native from '../native/native.js';
import { ConfigurationError, fromNative } from './errors.js';
import { isStandardSchema, type OutputOf, type StandardSchema } from './standard-schema.js';
import type { ExecutionContext } from './types.js';
import type { FunctionOutput, FunctionTool } from './wire.js';

/**
 * A declaration with a parser and a callback in fields that are not enumerable: for whoever sends it, a
 * plain declaration. The tools of `zodResponsesFunction` and `standardResponsesFunction` are such.
 */
export interface TypedFunctionTool<Arguments = unknown> extends FunctionTool {
  /** For type checkers only. */
  __arguments: Arguments;
  /** For type checkers only. */
  __name: string;
  $brand: 'auto-parseable-tool';
  $callback: ((args: Arguments) => unknown) | undefined;
  /** The arguments of a call, given its JSON text. Throws if they are refused. */
  $parseRaw(args: string): Arguments;
}

export interface FunctionToolOptions<Schema extends StandardSchema> {
  /** 1 to 64 letters, digits, `_` and `-`. */
  name: string;
  /** For the model. */
  description?: string | undefined;
  /** Of zod 4, valibot, arktype or any other library with the Standard Schema interface. */
  parameters: Schema;
  /** The JSON schema of the arguments, for a library that cannot write its own. */
  schema?: Record<string, unknown> | undefined;
  /** Gets what `parameters` made of the arguments. What it throws stops the run. */
  function: (
    args: OutputOf<Schema>,
    context: ExecutionContext,
  ) => FunctionOutput | Promise<FunctionOutput>;
  /** Let the model find the function by tool search only. */
  defer_loading?: boolean | undefined;
}

/** What a runner needs of a typed tool. */
export interface Typed {
  /** Throws or rejects if the arguments are refused. */
  readonly parse: (text: string) => unknown;
  readonly call: (args: unknown, context: ExecutionContext) => unknown;
}

/** Of the tools that were made here: unlike those of others they may validate asynchronously. */
const MADE_HERE = new WeakMap<object, Typed>();

/**
 * A strict function tool for `runnerFunction`, of a schema in the Standard Schema interface: what
 * `standardResponsesFunction` of the `openai` package makes, without that package. The schema may
 * validate asynchronously. All fields are required in a strict tool: one that may be left out has to
 * take null or have a default.
 *
 * @throws ConfigurationError (a TypeError) for a name, a schema or a function that no tool can have.
 */
export function functionTool<Schema extends StandardSchema>(
  options: FunctionToolOptions<Schema>,
): TypedFunctionTool<OutputOf<Schema>> {
  const { name, description, parameters, schema, defer_loading, function: run } = options;
  // What is no text is no name, and neither is an empty one.
  checked(() => native.checkToolName(typeof name === 'string' ? name : ''));
  if (!isStandardSchema(parameters)) {
    const words = 'parameters must be a schema with the Standard Schema interface';
    throw new ConfigurationError(words, 'tool_schema_invalid');
  }
  if (typeof run !== 'function') {
    throw new ConfigurationError('a function tool needs a function', 'not_callable');
  }
  const declaration = {
    type: 'function',
    name,
    parameters: strictOf(schema ?? writtenBy(parameters)),
    strict: true,
    ...(description === undefined ? undefined : { description }),
    ...(defer_loading === undefined ? undefined : { defer_loading }),
  };
  const call = (args: unknown, context: ExecutionContext): unknown =>
    Reflect.apply(run, options, [args, context]);
  const tool = Object.defineProperties(declaration, {
    $brand: { value: 'auto-parseable-tool' },
    $callback: { value: (args: unknown) => call(args, { signal: undefined }) },
    $parseRaw: { value: (text: string) => parsedAtOnce(parameters, text) },
  });
  MADE_HERE.set(tool, { parse: (text) => parsed(parameters, text), call });
  return tool as unknown as TypedFunctionTool<OutputOf<Schema>>;
}

/** @throws ConfigurationError if it is no typed tool with a callback. */
export function typedOf(tool: TypedFunctionTool): Typed {
  const made = typeof tool === 'object' && tool !== null ? MADE_HERE.get(tool) : undefined;
  if (made !== undefined) return made;
  const isTyped = tool?.type === 'function' && typeof tool.$parseRaw === 'function';
  if (!isTyped || typeof tool.$callback !== 'function') {
    const words = 'runnerFunction needs a typed function tool with a function; see functionTool';
    throw new ConfigurationError(words, 'tool_not_typed');
  }
  return {
    parse: (text) => tool.$parseRaw(text),
    // Nothing more than the arguments: a function that was written for others may have a use of its own
    // for a second parameter.
    call: (args) => tool.$callback?.(args),
  };
}

function writtenBy(parameters: StandardSchema): Record<string, unknown> {
  const write = parameters['~standard'].jsonSchema?.input;
  if (typeof write !== 'function') {
    const words = 'the library of parameters writes no JSON schema; give one as schema';
    throw new ConfigurationError(words, 'tool_schema_invalid');
  }
  return write({ target: 'draft-07' });
}

function strictOf(schema: Record<string, unknown>): Record<string, unknown> {
  const text = jsonOf(schema);
  // Libraries with this interface write the defaults of all fields that have one.
  const strict = checked(() => native.strictSchema(text, false));
  return JSON.parse(strict) as Record<string, unknown>;
}

/** Without a JSON form a text that is none: the core says so. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

function checked<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw fromNative(error);
  }
}

function parsed(parameters: StandardSchema, text: string): unknown {
  const result = parameters['~standard'].validate(JSON.parse(text));
  return 'then' in result ? result.then(valueOf) : valueOf(result);
}

function parsedAtOnce(parameters: StandardSchema, text: string): unknown {
  const result = parameters['~standard'].validate(JSON.parse(text));
  if ('then' in result) throw new TypeError('the schema validates asynchronously');
  return valueOf(result);
}

function valueOf(result: { readonly value?: unknown; readonly issues?: unknown }): unknown {
  // No word of the issues: they may quote the arguments.
  if (result.issues) throw new TypeError('the arguments are refused by their schema');
  return result.value;
}
