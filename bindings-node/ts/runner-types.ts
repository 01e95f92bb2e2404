/** What a runner is made of and what a run takes and shows (R-1 … R-61, L-1 … L-5). */

import type { BrowserToolset } from './browser.js';
import type { ComputerToolset } from './computer.js';
import type { ComputerCall, ComputerExecutionOptions } from './computer-types.js';
import type { ExecutionContext, RunnerDiagnosticObserver } from './types.js';
import type { FunctionOutput, FunctionTool, FunctionToolCall } from './wire.js';

/**
 * A callback whose parameters may be typed more narrowly than here, with the types of the client's own
 * package. Methods are compared that way.
 */
type Callback<Args extends unknown[], Result> = { call(...args: Args): Result }['call'];

/** A function of yours: its declaration and what runs it. */
export interface RunnerFunction {
  /** Its name must differ from that of every other tool. */
  tool: FunctionTool;
  /** Gets the decoded arguments. What it throws stops the run; so does an output of another kind. */
  execute: (
    args: Record<string, unknown>,
    context: ExecutionContext,
  ) => FunctionOutput | Promise<FunctionOutput>;
  /** Whether who iterates may supply the output instead. `run` never does. */
  allowOutputOverride?: boolean | undefined;
  /**
   * Whether it depends on no other call, so that with `eager` it may run while the response is still
   * streamed, beside others of its kind. Not with a ledger.
   */
  independent?: boolean | undefined;
}

/** Which calls may run before their response is complete. `{}` lets none. */
export interface ResponsesEarlyExecution {
  /** Names as the model calls them, those of browser tools included; each once. */
  functions?: readonly string[] | undefined;
  computer?: boolean | undefined;
}

/** The tools that share one conversation. */
export interface ResponsesRunnerTools {
  browser?: BrowserToolset | null | undefined;
  /** Declared as the computer tool, unless `params.tools` declares it. */
  computer?: ComputerToolset | null | undefined;
  functions?: readonly RunnerFunction[] | null | undefined;
  /** Without it all calls may be early, if a run is `eager`. */
  earlyExecution?: ResponsesEarlyExecution | null | undefined;
}

/** An item of an input or an output list, with whatever other fields its kind has. */
export interface ResponsesItem {
  type?: string | null;
}

/** A model's request to call a tool of a remote MCP server. */
export interface McpApprovalRequest extends ResponsesItem {
  type: 'mcp_approval_request';
  id: string;
  server_label: string;
  name: string;
  /** JSON text. */
  arguments: string;
}

/** An output item that a caller supplies in a function's place. */
export interface SuppliedOutput {
  type: 'function_call_output';
  /** Of a call of the turn. The client's own type lets it be absent, which is refused here. */
  call_id?: string | null;
  output: FunctionOutput;
}

/** The state of a run as it is saved; the same object as in Python (L-1, P-5). Complete and detached. */
export interface ResponsesRunnerCheckpoint {
  version: 1;
  run_id: string;
  /** Counts the saves of the run by one, over all its processes. */
  revision: number;
  /**
   * `boundary`: no work is open, so the run may be resumed. `pending`: some is, or the service may be
   * doing some. `final`: the run is over.
   */
  phase: 'boundary' | 'pending' | 'final';
  /** The most requests of the whole run. */
  max_steps: number;
  /** Requests made, the one that follows this save included. */
  consumed_requests: number;
  /** The tools of each request, without credentials; URLs of MCP servers are fingerprints (L-4). */
  tools: ResponsesItem[];
  output_override_names: string[];
  /** The input of the next request. */
  history: ResponsesItem[];
  attempted_call_ids: string[];
  returned_call_ids: string[];
  /** The items of the response whose work is open. */
  pending_items: ResponsesItem[];
  /** The outputs that were made for them so far. */
  returned_outputs: ResponsesItem[];
  /** The response that ended the run. */
  final_response: object | null;
}

/** Where a run is saved, and what it goes on from. */
export interface ResponsesRunnerLedger {
  /** Your name of the run; not empty. */
  runId: string;
  /** Awaited. Must have stored the checkpoint for good when it returns; if it fails, the run stops. */
  save: Callback<[checkpoint: ResponsesRunnerCheckpoint], void | Promise<void>>;
  /**
   * The last checkpoint of the run, a `boundary` (L-3). `params.input` must say how things are now: at
   * least one message of the user.
   */
  resumeFrom?: Readonly<ResponsesRunnerCheckpoint> | null | undefined;
}

/** How large the `input` of a request may be. */
export interface ResponsesContextBudget {
  /** As compact JSON in UTF-8; at least 1. */
  maxInputBytes: number;
  /** From 0. */
  maxInputImages: number;
  /** Screenshots that `compact` may not leave out; 1 if it is not given. */
  keepRecentScreenshots?: number;
  /** Asked only when the next request is over a limit. Without it such a run stops. */
  compact?: Callback<
    [snapshot: ResponsesBudgetSnapshot],
    ResponsesBudgetDecision | Promise<ResponsesBudgetDecision>
  >;
}

export interface ResponsesBudgetSnapshot {
  /** Copies of the items that the request would carry. */
  history: ResponsesItem[];
  /** The calls that may be left out, each with its output. */
  eligibleCallIds: string[];
  inputBytes: number;
  inputImages: number;
}

export interface ResponsesBudgetDecision {
  /** Eligible calls, each once. They stay in the history and in a ledger. */
  dropCallIds: readonly string[];
  /** Told to the model in their place. */
  summary?: string | null | undefined;
}

/** An event of a stream, if the client does not say more of it. */
export interface ResponsesEvent {
  type: string;
}

/** A response whose work is about to begin; with an eager run some of it may be done. */
export interface ResponsesRunnerTurn<Response = unknown> {
  /** The client's own object. Editing it changes nothing. */
  readonly response: Response;
  /** Which request of the whole run it answers; from 1. */
  readonly step: number;
  /** Whether the run ends with this response. */
  readonly final: boolean;
  /** Whether calls of this response ran while it was streamed. */
  readonly toolsExecuted: boolean;
  /** Whether the request was sent without the local tools (`finishAtLimit`). */
  readonly toolsWithheld: boolean;
  /** Every call of the run that was begun so far, and every one that gave an output. */
  readonly attemptedCallIds: readonly string[];
  readonly completedCallIds: readonly string[];
  /**
   * Answers calls of this turn in their function's place. Each list takes the place of the one
   * before; an empty one lets the functions run.
   *
   * @throws ConfigurationError (a TypeError), and nothing is changed: for a turn that is over or final,
   *   for calls that were begun, and for those whose function does not allow it.
   */
  readonly supplyOutputs: Callback<[outputs: readonly SuppliedOutput[]], void>;
  /**
   * Queues words of a human, to follow the outputs of this turn.
   *
   * @throws ConfigurationError (a TypeError) for a turn that is over or final, and for blank text.
   */
  readonly appendUserText: (text: string) => void;
}

/** Options of one run. */
export interface ResponsesRunnerOptions<RequestOptions = object, Event = ResponsesEvent> {
  /** The most requests; 20 if it is not given. What the last one asks for is not run. */
  maxSteps?: number | undefined;
  /**
   * Leaves the local tools out of the last allowed request, so that the model ends with an answer. Its
   * turn says `toolsWithheld`.
   */
  finishAtLimit?: boolean | null | undefined;
  /** Reads each response as a stream of events. Work still waits for the whole response. */
  stream?: boolean | null | undefined;
  /** Lets calls run as soon as their own item is complete (R-30 … R-35). Needs `stream`. */
  eager?: boolean | null | undefined;
  /** The most independent functions at once; 2 if it is not given. */
  maxConcurrentCalls?: number | undefined;
  /** Gets a copy of each event; awaited. What it throws stops the run. */
  onEvent?: Callback<[event: Event], void | Promise<void>> | null | undefined;
  /** Decides about a streamed call that may be early; awaited. */
  beforeEarlyCall?:
    | Callback<
        [call: Readonly<FunctionToolCall | ComputerCall>],
        'execute' | 'defer' | Promise<'execute' | 'defer'>
      >
    | null
    | undefined;
  /** Decides about a call of a remote tool; awaited. Exactly `true` or `false`. */
  approveMcp?:
    | Callback<[request: Readonly<McpApprovalRequest>], boolean | Promise<boolean>>
    | null
    | undefined;
  /** Saves the run before and after each effect (L-1 … L-5). */
  ledger?: ResponsesRunnerLedger | null | undefined;
  /** Bounds each request. */
  contextBudget?: ResponsesContextBudget | null | undefined;
  /**
   * Ends the run before its next step. Passed on to the client, the driver and the callbacks. Work that
   * has begun is waited for, so that its receipts are known; a request, a save or a decision is not.
   */
  signal?: AbortSignal | null | undefined;
  /**
   * Given to the client with each request; without a `body`. Its `signal` counts if there is no other. An
   * idempotency key in it is for the first request: each later one has its own, made from it.
   */
  requestOptions?: RequestOptions | null | undefined;
  /** Consent for computer calls. Its `signal` counts if there is no other. */
  computerOptions?: ComputerExecutionOptions | null | undefined;
  /**
   * Sees what happens: requests with their usage, browser and computer calls. Without it the
   * toolset's own observer sees the browser calls, and that of `computerOptions` the computer calls.
   */
  onDiagnostic?: RunnerDiagnosticObserver | null | undefined;
}
