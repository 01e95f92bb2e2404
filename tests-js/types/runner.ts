/** Code that must type-check, and code that must not, around a run. Never run: `tsc -p tests-js`. */
import {
  BrowserToolset,
  ResponsesToolRunner,
  ResponsesToolRunnerError,
  type ResponsesClient,
  type ResponsesRunnerOptions,
  type RunnerFunction,
} from 'swingbridge';

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(..._proof: Same<A, B> extends true ? [] : [never]): void => undefined;

declare const browser: BrowserToolset;

const lookup: RunnerFunction = {
  tool: { type: 'function', name: 'lookup', parameters: { type: 'object' }, strict: true },
  execute: async (args, { signal }) => {
    same<typeof args, Record<string, unknown>>();
    same<typeof signal, AbortSignal | undefined>();
    return [{ type: 'input_text', text: String(args['q']) }];
  },
};
const runner = new ResponsesToolRunner({ browser, functions: [lookup] });
new ResponsesToolRunner({});
// @ts-expect-error the tools are an object
new ResponsesToolRunner();
// @ts-expect-error a toolset, not a driver
new ResponsesToolRunner({ browser: { state: () => ({ tabs: [] }) } });
// @ts-expect-error a function needs execute
new ResponsesToolRunner({ functions: [{ tool: lookup.tool }] });
// @ts-expect-error an output is text or a list of blocks
const wrong: RunnerFunction = { tool: lookup.tool, execute: () => 5 };

// --- The response and the parameters are those of the client ---

interface Answer {
  text: string;
}
interface Body {
  model: string;
  input: string | object[];
}
const client = {
  responses: {
    create: async (_body: Body, _options?: { timeout?: number }): Promise<Answer> => ({
      text: 't',
    }),
  },
};
const answer = await runner.run(
  client,
  { model: 'm', input: 'x' },
  { requestOptions: { timeout: 5 } },
);
same<typeof answer, Answer>();
// @ts-expect-error the client needs a model
await runner.run(client, { input: 'x' });
// @ts-expect-error the client has no such option
await runner.run(client, { model: 'm', input: 'x' }, { requestOptions: { retries: 5 } });
// @ts-expect-error a client has responses.create
await runner.run({ responses: {} }, { input: 'x' });
// @ts-expect-error steps are a number
await runner.run(client, { model: 'm', input: 'x' }, { maxSteps: '5' });
// @ts-expect-error there is no such option
const options: ResponsesRunnerOptions = { maxStep: 5 };

const double = { responses: { create: () => ({ id: 'r' }) } };
const id: string = (await runner.run(double, { model: 'm', input: 'x' })).id;
declare const anyClient: ResponsesClient;
same<Awaited<ReturnType<typeof runner.run<typeof anyClient>>>, unknown>();

const error = new ResponsesToolRunnerError('stopped', ['a'], []);
same<typeof error.attemptedCallIds, string[]>();
// @ts-expect-error the lists themselves stay
error.completedCallIds = [];
