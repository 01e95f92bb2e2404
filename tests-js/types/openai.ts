/** Types of the npm `openai` package fit those of this one, both ways (P-2, P-3). Never run. */
import OpenAI from 'openai';
import type * as Published from 'openai/helpers/browser';
import type * as PublishedRunner from 'openai/helpers/responses-tool-runner';
import type {
  FunctionTool,
  Response,
  ResponseFunctionToolCall,
  ResponseInputItem,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';
import type * as Ours from 'swingbridge/helpers/browser';
import { BrowserToolset } from 'swingbridge/helpers/browser';
import {
  ResponsesToolRunner,
  type RunnerFunction,
} from 'swingbridge/helpers/responses-tool-runner';

declare const driver: Published.BrowserDriver;
declare const options: Published.BrowserOptions;
declare const readOptions: Published.BrowserReadOptions;
declare const call: ResponseFunctionToolCall;

// Drivers, options and calls that were typed with the published package.
const toolset = new BrowserToolset(driver, options);
new BrowserToolset(driver, { ...readOptions, confirmReads: ['read_page'] });
const history: ResponseInputItem[] = [
  await toolset.execute(call, { signal: AbortSignal.timeout(1) }),
];
const tools: FunctionTool[] = toolset.tools();

// What this package calls the same is the same.
type Members = Published.BrowserMember;
const members: readonly Members[] = [] as Ours.BrowserMember[];
const state: Published.BrowserState = {} as Ours.BrowserState;
const read: Published.BrowserReadV1 = {} as Ours.BrowserReadV1;
const scoped: Published.BrowserScopedReadV1 = {} as Ours.BrowserScopedReadV1;
const file: Published.BrowserFileOutcome = {} as Ours.BrowserFileOutcome;
const change: Published.BrowserStateChange = {} as Ours.BrowserStateChange;
const args = <M extends Members>(given: Ours.BrowserArguments<M>): Published.BrowserArguments<M> =>
  given as never;
const zoom: Published.BrowserArguments<'zoom'> = {} as Ours.BrowserArguments<'zoom'>;
const path: Published.BrowserArguments<'drag_path'> = {} as Ours.BrowserArguments<'drag_path'>;
const back: Ours.BrowserArguments<'click_at'> = {} as Published.BrowserArguments<'click_at'>;
const record: Published.RunnerDiagnostic = {} as Ours.RunnerDiagnostic;

// The client's own types come through.
declare const client: OpenAI;
declare const lookup: RunnerFunction;
const runner = new ResponsesToolRunner({ browser: toolset, functions: [lookup] });
const response: Response = await runner.run(
  client,
  { model: 'gpt-5', input: history, tools: [{ type: 'web_search' }] },
  { maxSteps: 5, requestOptions: { timeout: 5, maxRetries: 0 } },
);
const words: string = response.output_text;
// @ts-expect-error the client knows no such parameter
await runner.run(client, { model: 'gpt-5', input: 'x', temprature: 1 });
// @ts-expect-error the client knows no such option
await runner.run(client, { model: 'gpt-5', input: 'x' }, { requestOptions: { retries: 5 } });

// --- Turns, events, ledgers and budgets that were typed with the published package ---

for await (const turn of runner.iterate(client, { model: 'gpt-5', input: 'x' })) {
  const text: string = turn.response.output_text;
  const given: ResponseInputItem.FunctionCallOutput[] = [];
  turn.supplyOutputs(given);
  const published: Omit<PublishedRunner.ResponsesRunnerTurn, 'supplyOutputs'> = turn;
}
declare const approveMcp: NonNullable<PublishedRunner.ResponsesRunnerOptions['approveMcp']>;
declare const beforeEarlyCall: NonNullable<
  PublishedRunner.ResponsesRunnerOptions['beforeEarlyCall']
>;
declare const ledger: PublishedRunner.ResponsesRunnerLedger;
declare const contextBudget: PublishedRunner.ResponsesContextBudget;
declare const earlyExecution: PublishedRunner.ResponsesEarlyExecution;
declare const registered: PublishedRunner.RunnerFunction;
await new ResponsesToolRunner({ functions: [registered], earlyExecution }).run(
  client,
  { model: 'gpt-5', input: 'x' },
  {
    stream: true,
    eager: true,
    onEvent: (event) => {
      const one: ResponseStreamEvent = event;
      if (event.type === 'response.output_text.delta') return void event.delta;
    },
    approveMcp,
    beforeEarlyCall,
    ledger,
    contextBudget,
  },
);
const onEvent: (event: ResponseStreamEvent) => void = () => undefined;
await runner.run(client, { model: 'gpt-5', input: 'x' }, { stream: true, onEvent });
