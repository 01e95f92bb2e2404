/** Types of typed tools: code that must type-check, and code that must not. Never run. */
import { standardResponsesFunction } from 'openai/helpers/standard-schema';
import { zodResponsesFunction } from 'openai/helpers/zod';
import {
  functionTool,
  ResponsesToolRunner,
  runnerFunction,
  type FunctionTool,
  type RunnerFunction,
  type StandardSchema,
  type TypedFunctionTool,
} from 'swingbridge';
import { runnerFunction as fromHelpers } from 'swingbridge/helpers/responses-tool-runner';
import { z } from 'zod';

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(..._proof: Same<A, B> extends true ? [] : [never]): void => undefined;

const parameters = z.object({ city: z.string(), days: z.int().default(3) });
const schema = { type: 'object', properties: {} };

// --- The arguments are those of the schema ---

const tool = functionTool({
  name: 'weather',
  parameters,
  function: (args, { signal }) => {
    same<typeof args, { city: string; days: number }>();
    same<typeof signal, AbortSignal | undefined>();
    // @ts-expect-error there is no such field
    args.place;
    return args.city;
  },
});
same<typeof tool, TypedFunctionTool<{ city: string; days: number }>>();
const declaration: FunctionTool = tool;

interface Point {
  x: number;
}
declare const own: StandardSchema<Point>;
functionTool({ name: 'p', parameters: own, schema, function: async ({ x }) => x.toFixed() });
functionTool({
  name: 'p',
  description: 'd',
  defer_loading: true,
  parameters: own,
  schema,
  function: () => [{ type: 'input_text', text: 't' }],
});

// @ts-expect-error the schema has no such field
functionTool({ name: 'p', parameters: own, schema, function: ({ y }) => String(y) });
// @ts-expect-error another type of arguments
functionTool({ name: 'p', parameters, function: (args: { city: number }) => `${args.city}` });
// @ts-expect-error an output is text or a list of blocks
functionTool({ name: 'p', parameters, function: ({ days }) => days });
// @ts-expect-error nothing is no output
functionTool({ name: 'p', parameters, function: async () => undefined });
// @ts-expect-error a function is needed
functionTool({ name: 'p', parameters });
// @ts-expect-error a name is needed
functionTool({ parameters, function: () => '' });
// @ts-expect-error a JSON schema alone validates nothing
functionTool({ name: 'p', parameters: schema, function: () => '' });
// @ts-expect-error there is no such option
functionTool({ name: 'p', parameters, function: () => '', execute: () => '' });

// --- Functions of a runner ---

const zodTool = zodResponsesFunction({
  name: 'z',
  parameters,
  function: ({ city }) => city,
});
const standardTool = standardResponsesFunction({
  name: 's',
  parameters,
  function: ({ city }) => city,
});
const functions: RunnerFunction[] = [
  runnerFunction(tool),
  runnerFunction(zodTool),
  runnerFunction(standardTool),
  fromHelpers(zodTool),
  { ...runnerFunction(tool), independent: true, allowOutputOverride: true },
];
new ResponsesToolRunner({ functions });

// @ts-expect-error a declaration alone has no parser
runnerFunction(declaration);
// @ts-expect-error a schema is no tool
runnerFunction(parameters);
// @ts-expect-error a tool is no function of a runner
new ResponsesToolRunner({ functions: [tool] });
// @ts-expect-error an argument is needed
runnerFunction();
