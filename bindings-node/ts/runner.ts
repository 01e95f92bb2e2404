/** The runner: requests, and the work that the responses ask for, until there is an answer. */

import * as native from '../native/native.js';
import { BrowserToolset, inside } from './browser.js';
import {
  requestOptionsWith,
  requireClient,
  signalOf,
  type ParamsOf,
  type RequestOptionsOf,
  type ResponseOf,
  type ResponsesClient,
} from './client.js';
import { ComputerToolset, insideComputer } from './computer.js';
import { ComputerConsent, ComputerDesk, type ComputerHost } from './computer-host.js';
import type { ComputerExecutionOptions } from './computer-types.js';
import { ConfigurationError, fromNative, ResponsesToolRunnerError } from './errors.js';
import type { BrowserHost } from './host.js';
import { Kind, Pump, type Session } from './pump.js';
import { copyParams, Run, stepsText, type RegisteredFunction } from './run.js';
import { requireSignal } from './signal.js';
import { knownFieldsOf } from './snapshot.js';
import type { ExecutionContext, RunnerDiagnosticObserver } from './types.js';
import type { FunctionOutput, FunctionTool } from './wire.js';

/** A function of yours: its declaration and what runs it. */
export interface RunnerFunction {
  /** Its name must differ from that of every other tool. */
  tool: FunctionTool;
  /** Gets the decoded arguments. What it throws stops the run; so does an output of another kind. */
  execute: (
    args: Record<string, unknown>,
    context: ExecutionContext,
  ) => FunctionOutput | Promise<FunctionOutput>;
  /** Whether a caller may supply the output instead. `run` never does. */
  allowOutputOverride?: boolean | undefined;
  /** Whether it may run beside a stream. `run` does not stream. */
  independent?: boolean | undefined;
}

/** The tools that share one conversation. */
export interface ResponsesRunnerTools {
  browser?: BrowserToolset | null | undefined;
  /** Declared as the computer tool, unless `params.tools` declares it. */
  computer?: ComputerToolset | null | undefined;
  functions?: readonly RunnerFunction[] | null | undefined;
}

export interface ResponsesRunnerOptions<RequestOptions = object> {
  /** The most requests; 20 if it is not given. What the last one asks for is not run. */
  maxSteps?: number | undefined;
  /** Ends the run before its next step. Passed on to the client, the driver and the callbacks. */
  signal?: AbortSignal | null | undefined;
  /** Given to `create` with each request. Its `signal` counts if there is no other. */
  requestOptions?: RequestOptions | null | undefined;
  /** Consent for computer calls. Its `signal` counts if there is no other. */
  computerOptions?: ComputerExecutionOptions | null | undefined;
  /**
   * Sees what happens: requests with their usage, browser and computer calls. Without it the
   * toolset's own observer sees the browser calls, and that of `computerOptions` the computer calls.
   */
  onDiagnostic?: RunnerDiagnosticObserver | null | undefined;
}

/** Runs one task at a time: a bounded loop of requests and local work. */
export class ResponsesToolRunner {
  readonly #session: Session;
  readonly #host: BrowserHost | undefined;
  readonly #computer: ComputerHost | undefined;
  readonly #functions: readonly RegisteredFunction[];
  /** JSON of the tools, in the order in which requests declare them. */
  readonly #tools: string;

  /** @throws ConfigurationError (a TypeError) for tools that cannot be declared or executed. */
  constructor(tools: ResponsesRunnerTools) {
    const { browser, computer, functions } = checked(tools);
    const toolset = browser && inside(browser);
    const desktop = computer && insideComputer(computer);
    this.#functions = functions.map(register);
    this.#session = open(toolset?.session, desktop?.session, this.#functions);
    this.#host = toolset?.host;
    this.#computer = desktop?.host;
    const declarations = this.#functions.map(({ declaration }) => declaration);
    this.#tools = JSON.stringify([...(browser?.tools() ?? []), ...declarations]);
  }

  /**
   * Sends requests and does the work that the responses ask for, until one has the final message.
   *
   * @returns the client's own response object.
   * @throws ConfigurationError (a TypeError) before the first request; BusyError and ClosedError
   *   (TypeErrors); ResponsesToolRunnerError for everything that stops a run, an abort included.
   */
  async run<C extends ResponsesClient>(
    client: C,
    params: ParamsOf<C>,
    options?: ResponsesRunnerOptions<RequestOptionsOf<C>>,
  ): Promise<ResponseOf<C>> {
    const { maxSteps, requestOptions, computerOptions, onDiagnostic } = options ?? {};
    requireClient(client);
    const consent = new ComputerConsent(computerOptions);
    const signal = requireSignal(
      options?.signal ?? signalOf(requestOptions) ?? computerOptions?.signal,
    );
    const run = new Run({
      client,
      params: copyParams(params),
      tools: this.#tools,
      functions: this.#functions,
      requestOptions: requestOptionsWith(requestOptions, signal),
    });
    const pump = new Pump({
      session: this.#session,
      signal,
      observer: onDiagnostic ?? forCalls(this.#host?.onDiagnostic, computerOptions?.onDiagnostic),
      host: this.#host,
      computer:
        this.#computer &&
        new ComputerDesk(this.#computer, consent, (callId) => run.computerCall(callId)),
      errands: run,
    });
    const end = await pump.drive(begin(pump, run.known, stepsText(maxSteps), consent));
    if (end[0] !== Kind.Finished) throw stopOf(end, pump);
    return run.response as ResponseOf<C>;
  }

  /** As a toolset's `close`: refuses new runs, and says whether one still runs (B-50, R-6). */
  close(): { status: 'closed' | 'draining' } {
    return { status: native.close(this.#session) as 'closed' | 'draining' };
  }
}

function checked(tools: ResponsesRunnerTools): {
  browser: BrowserToolset | undefined;
  computer: ComputerToolset | undefined;
  functions: readonly RunnerFunction[];
} {
  if (typeof tools !== 'object' || tools === null) {
    throw new ConfigurationError('the tools must be an object', 'tools_invalid');
  }
  const browser = tools.browser ?? undefined;
  const computer = tools.computer ?? undefined;
  const functions = tools.functions ?? [];
  if (browser !== undefined && !(browser instanceof BrowserToolset)) {
    throw new ConfigurationError(
      'browser must be a BrowserToolset of this package',
      'tools_invalid',
    );
  }
  if (computer !== undefined && !(computer instanceof ComputerToolset)) {
    throw new ConfigurationError(
      'computer must be a ComputerToolset of this package',
      'computer_not_a_toolset',
    );
  }
  if (!Array.isArray(functions)) {
    throw new ConfigurationError('functions must be a list', 'function_declaration');
  }
  return { browser, computer, functions };
}

function register(registered: RunnerFunction): RegisteredFunction {
  const { tool, execute, allowOutputOverride, independent } = registered ?? {};
  if (typeof execute !== 'function') {
    throw new ConfigurationError('a function needs execute', 'function_declaration');
  }
  for (const flag of [allowOutputOverride, independent]) {
    if (flag !== undefined && typeof flag !== 'boolean') {
      throw new ConfigurationError('the flags of a function are booleans', 'function_declaration');
    }
  }
  try {
    const declaration: unknown = JSON.parse(JSON.stringify(tool) ?? 'null');
    return { declaration, execute: execute as RegisteredFunction['execute'], owner: registered };
  } catch {
    throw new ConfigurationError(
      'the declaration of a function cannot be written as JSON',
      'function_declaration',
    );
  }
}

function open(
  browser: Session | undefined,
  computer: Session | undefined,
  functions: readonly RegisteredFunction[],
): Session {
  const entries = functions.map(({ declaration }) => `{"tool":${knownFieldsOf(declaration)}}`);
  try {
    return native.openRunner(browser, computer, `[${entries.join()}]`, 'null');
  } catch (error) {
    throw fromNative(error);
  }
}

/** Without an observer of the run, those of the parts see their calls, as in direct ones. */
function forCalls(
  browser: RunnerDiagnosticObserver | null | undefined,
  computer: RunnerDiagnosticObserver | null | undefined,
): RunnerDiagnosticObserver | undefined {
  if (!browser && !computer) return undefined;
  return (event) => {
    if (event.api === 'browser') return browser?.(event);
    return event.api === 'computer' ? computer?.(event) : undefined;
  };
}

function begin(pump: Pump, params: string, maxSteps: string, consent: ComputerConsent): string {
  const { session, isAborted, now } = pump;
  const observed = pump.observer !== undefined;
  try {
    return native.beginRun(
      session,
      params,
      `{"max_steps":${maxSteps}}`,
      null,
      null,
      consent.given,
      observed,
      isAborted,
      now,
    );
  } catch (error) {
    throw fromNative(error);
  }
}

function stopOf(end: string, pump: Pump): ResponsesToolRunnerError {
  const stop = JSON.parse(end.slice(1)) as {
    code: string;
    message: string;
    attempted: string[];
    completed: string[];
  };
  const { code, message, attempted, completed } = stop;
  // The client's error is the caller's to read; what a driver or a function threw is not kept.
  const options = code === 'request_failed' ? { code, cause: pump.failure } : { code };
  return new ResponsesToolRunnerError(message, attempted, completed, options);
}
