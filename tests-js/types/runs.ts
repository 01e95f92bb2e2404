/** Code that must type-check, and code that must not, around turns, streams and ledgers. Never run. */
import {
  ResponsesToolRunner,
  UsageSummary,
  type EventOf,
  type McpApprovalRequest,
  type ResponsesBudgetSnapshot,
  type ResponsesClient,
  type ResponsesContextBudget,
  type ResponsesEarlyExecution,
  type ResponsesEvent,
  type ResponsesItem,
  type ResponsesRunnerCheckpoint,
  type ResponsesRunnerLedger,
  type ResponsesRunnerOptions,
  type ResponsesRunnerTurn,
} from 'swingbridge';
import type * as Helpers from 'swingbridge/helpers/responses-tool-runner';

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(..._proof: Same<A, B> extends true ? [] : [never]): void => undefined;

const runner = new ResponsesToolRunner({ earlyExecution: { functions: ['lookup'] } });
new ResponsesToolRunner({ earlyExecution: null });
// @ts-expect-error names are a list
new ResponsesToolRunner({ earlyExecution: { functions: 'lookup' } });
// @ts-expect-error there is no such field
const early: ResponsesEarlyExecution = { browser: true };

interface Answer {
  text: string;
}
interface Delta {
  type: 'delta';
  delta: string;
}
interface Done {
  type: 'done';
}
interface Body {
  model: string;
  input: string;
}
interface Streams {
  responses: {
    create(body: Body): Promise<Answer | AsyncIterable<Delta>>;
    stream(body: Body): AsyncIterable<Delta | Done> & { finalResponse(): Promise<Answer> };
  };
}
declare const client: Streams;
const params = { model: 'm', input: 'x' };

// --- Turns ---

for await (const turn of runner.iterate(client, params, { maxSteps: 5 })) {
  same<typeof turn, ResponsesRunnerTurn<Answer>>();
  const words: string = turn.response.text;
  const ids: readonly string[] = turn.completedCallIds;
  const flags: boolean[] = [turn.final, turn.toolsExecuted, turn.toolsWithheld];
  turn.supplyOutputs([{ type: 'function_call_output', call_id: 'c', output: 'x' }]);
  turn.appendUserText('x');
  // @ts-expect-error outputs are a list
  turn.supplyOutputs({ type: 'function_call_output', call_id: 'c', output: 'x' });
  // @ts-expect-error an output is text or a list of blocks
  turn.supplyOutputs([{ type: 'function_call_output', call_id: 'c', output: 5 }]);
  // @ts-expect-error only words
  turn.appendUserText(['x']);
  // @ts-expect-error a turn is not for writing
  turn.step = 5;
  // @ts-expect-error its lists neither
  turn.attemptedCallIds.push('c');
}
same<
  ReturnType<typeof runner.iterate<Streams>>,
  AsyncGenerator<ResponsesRunnerTurn<Answer>, void, undefined>
>();
// @ts-expect-error the client needs a model
runner.iterate(client, { input: 'x' });

// --- Events are those of the client ---

same<EventOf<Streams>, Delta | Done>();
same<
  EventOf<{ responses: { create(body: Body): Promise<Answer | AsyncIterable<Delta>> } }>,
  Delta
>();
same<EventOf<{ responses: { create(): Answer } }>, ResponsesEvent>();
same<EventOf<ResponsesClient>, ResponsesEvent>();
await runner.run(client, params, {
  stream: true,
  eager: true,
  maxConcurrentCalls: 3,
  onEvent: async (event) => {
    same<typeof event, Delta | Done>();
    if (event.type === 'delta') same<typeof event.delta, string>();
  },
  beforeEarlyCall: (call) => {
    same<typeof call.type, 'function_call' | 'computer_call'>();
    return call.call_id === 'c1' ? 'execute' : 'defer';
  },
});
const common: ResponsesRunnerOptions = { stream: true, onEvent: ({ type }) => void type };
await runner.run(client, params, common);
await runner.run(client, params, {
  stream: true,
  // @ts-expect-error no event of this client has it
  onEvent: (event) => event.text,
});
// @ts-expect-error execute or defer
await runner.run(client, params, { beforeEarlyCall: () => 'later' });
// @ts-expect-error a flag
await runner.run(client, params, { eager: 'yes' });
// @ts-expect-error a number
await runner.run(client, params, { maxConcurrentCalls: '2' });
await runner.run(client, params, { finishAtLimit: true, stream: null });

// --- Approvals of remote tools ---

await runner.run(client, params, {
  approveMcp: async (request) => {
    same<typeof request, Readonly<McpApprovalRequest>>();
    return request.server_label === 'docs';
  },
});
// @ts-expect-error true or false
await runner.run(client, params, { approveMcp: () => 'true' });

// --- Ledgers ---

const rows: ResponsesRunnerCheckpoint[] = [];
const ledger: ResponsesRunnerLedger = {
  runId: 'r',
  save: async (checkpoint) => {
    same<typeof checkpoint, ResponsesRunnerCheckpoint>();
    same<typeof checkpoint.phase, 'boundary' | 'pending' | 'final'>();
    same<typeof checkpoint.history, ResponsesItem[]>();
    rows.push(checkpoint);
  },
  resumeFrom: rows.at(-1),
};
await runner.run(client, params, { ledger });
await runner.run(client, params, { ledger: null });
// @ts-expect-error a ledger has a name
const nameless: ResponsesRunnerLedger = { save: () => undefined };
// @ts-expect-error a ledger saves
const idle: ResponsesRunnerLedger = { runId: 'r' };
// @ts-expect-error names are those of JavaScript here
const other: ResponsesRunnerLedger = { run_id: 'r', save: () => undefined };
// @ts-expect-error a checkpoint is complete
const partial: ResponsesRunnerCheckpoint = { version: 1, run_id: 'r', phase: 'boundary' };
same<Helpers.ResponsesRunnerLedger, ResponsesRunnerLedger>();
same<Helpers.ResponsesRunnerCheckpoint, ResponsesRunnerCheckpoint>();
same<Helpers.ResponsesRunnerTurn, ResponsesRunnerTurn>();
same<Helpers.ResponsesContextBudget, ResponsesContextBudget>();
same<Helpers.ResponsesEarlyExecution, ResponsesEarlyExecution>();

// --- Budgets ---

const budget: ResponsesContextBudget = {
  maxInputBytes: 10_000,
  maxInputImages: 2,
  compact: (snapshot) => {
    same<typeof snapshot, ResponsesBudgetSnapshot>();
    return { dropCallIds: snapshot.eligibleCallIds, summary: String(snapshot.inputBytes) };
  },
};
await runner.run(client, params, { contextBudget: budget });
// @ts-expect-error both limits are needed
await runner.run(client, params, { contextBudget: { maxInputBytes: 5 } });
// @ts-expect-error names are those of JavaScript here
const snake: ResponsesContextBudget = { ...budget, compact: () => ({ drop_call_ids: [] }) };

// --- Usage ---

const usage = new UsageSummary();
await runner.run(client, params, { onDiagnostic: usage.observe });
same<typeof usage.totalTokens, number>();
same<typeof usage.incomplete, boolean>();
// @ts-expect-error counts are read
usage.requests = 5;
