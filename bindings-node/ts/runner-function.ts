/** Typed tools as functions of a runner. */

import { typedOf, type Typed, type TypedFunctionTool } from './function-tool.js';
import type { RunnerFunction } from './runner-types.js';
import type { ExecutionContext } from './types.js';
import type { FunctionOutput } from './wire.js';

type Execute = RunnerFunction['execute'];

/** By `execute`, which a copy of the function with other flags keeps. */
const TYPED = new WeakMap<Execute, Typed>();

/**
 * Registers a typed tool: one of `functionTool`, or one that `zodResponsesFunction` or
 * `standardResponsesFunction` of the `openai` package made with a function. If its schema refuses the
 * arguments of a call, the run stops before anything of that response is begun.
 *
 * @throws ConfigurationError (a TypeError) for any other tool.
 */
export function runnerFunction<Arguments>(tool: TypedFunctionTool<Arguments>): RunnerFunction {
  const typed = typedOf(tool as TypedFunctionTool);
  // For whoever calls it without a runner; a runner parses and calls by itself.
  const execute = async (
    args: Record<string, unknown>,
    context: ExecutionContext,
  ): Promise<FunctionOutput> => {
    const parsed = await typed.parse(JSON.stringify(args));
    return (await typed.call(parsed, context)) as FunctionOutput;
  };
  TYPED.set(execute, typed);
  return { tool: { ...tool }, execute };
}

/** How arguments are parsed and what is called with them, if `runnerFunction` made it. */
export function typedExecution(execute: Execute): Typed | undefined {
  return TYPED.get(execute);
}
