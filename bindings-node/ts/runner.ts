/** The runner: requests, and the work that the responses ask for, until there is an answer. */

import * as native from '../native/native.js';
import { BrowserToolset, inside } from './browser.js';
import {
  refuseBody,
  requireClient,
  signalOf,
  type EventOf,
  type ParamsOf,
  type RequestOptionsOf,
  type ResponseOf,
  type ResponsesClient,
} from './client.js';
import { NativeRun } from './client/native-run.js';
import { runFor } from './client/run-for.js';
import { ComputerToolset, insideComputer } from './computer.js';
import { ComputerConsent, ComputerDesk, type ComputerHost } from './computer-host.js';
import { ConfigurationError, fromNative, ResponsesToolRunnerError } from './errors.js';
import { register, type RegisteredFunction } from './functions.js';
import type { BrowserHost } from './host.js';
import { copyParams } from './params.js';
import { Kind, Pump, type Session } from './pump.js';
import { Run } from './run.js';
import { earlyText, readRunOptions } from './run-options.js';
import type {
  ResponsesRunnerOptions,
  ResponsesRunnerTools,
  ResponsesRunnerTurn,
  RunnerFunction,
} from './runner-types.js';
import { requireSignal } from './signal.js';
import { OpenTurn, readTurn } from './turn.js';
import type { RunnerDiagnosticObserver } from './types.js';

export type { ResponsesRunnerOptions, ResponsesRunnerTools, RunnerFunction };

/** The options of a run with this client. */
type OptionsFor<C extends ResponsesClient> = ResponsesRunnerOptions<
  RequestOptionsOf<C>,
  EventOf<C>
>;

/** Runs one task at a time: a bounded loop of requests and local work. */
export class ResponsesToolRunner {
  readonly #session: Session;
  readonly #host: BrowserHost | undefined;
  readonly #computer: ComputerHost | undefined;
  readonly #functions: readonly RegisteredFunction[];
  /** The tools as requests declare them, in their order. */
  readonly #tools: readonly unknown[];

  /** @throws ConfigurationError (a TypeError) for tools that cannot be declared or executed. */
  constructor(tools: ResponsesRunnerTools) {
    const { browser, computer, functions, early } = checked(tools);
    const toolset = browser && inside(browser);
    const desktop = computer && insideComputer(computer);
    this.#functions = functions.map(register);
    this.#session = open(toolset?.session, desktop?.session, this.#functions, early);
    this.#host = toolset?.host;
    this.#computer = desktop?.host;
    const declarations = this.#functions.map(({ declaration }) => declaration);
    this.#tools = [...(browser?.tools() ?? []), ...declarations];
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
    options?: OptionsFor<C>,
  ): Promise<ResponseOf<C>> {
    const { run, pump, first } = this.#begin(client, params, options, false);
    try {
      const end = await pump.drive(first);
      if (end[0] !== Kind.Finished) throw stopOf(end, pump, run.response);
      return run.response as ResponseOf<C>;
    } finally {
      run.close();
    }
  }

  /**
   * As `run`, but shows each response before its work is done. To ask for the next turn does the
   * work of this one. To leave the loop, which calls `return`, ends the run: nothing further is done,
   * an open stream is closed, and the runner is free. An iteration that is abandoned without that keeps
   * the runner busy.
   *
   * Nothing is read or begun before the first turn is asked for; it throws what `run` throws.
   */
  async *iterate<C extends ResponsesClient>(
    client: C,
    params: ParamsOf<C>,
    options?: OptionsFor<C>,
  ): AsyncGenerator<ResponsesRunnerTurn<ResponseOf<C>>, void, undefined> {
    const { run, pump, first } = this.#begin(client, params, options, true);
    let isOver = false;
    try {
      let ask = await pump.drive(first);
      while (ask[0] === Kind.Turn) {
        const turn = new OpenTurn(this.#session, run.history);
        try {
          yield turn.view(readTurn(ask, run.receipts), run.response as ResponseOf<C>, run.receipts);
        } finally {
          turn.close();
        }
        ask = await pump.drive(pump.answerSeen());
      }
      isOver = true;
      if (ask[0] !== Kind.Finished) throw stopOf(ask, pump, run.response);
    } finally {
      if (!isOver) native.letGo(this.#session);
      run.close();
    }
  }

  /** As a toolset's `close`: refuses new runs, and says whether one still runs (B-50, R-6). */
  close(): { status: 'closed' | 'draining' } {
    return { status: native.close(this.#session) as 'closed' | 'draining' };
  }

  #begin<C extends ResponsesClient>(
    client: C,
    params: ParamsOf<C>,
    options: OptionsFor<C> | undefined,
    yieldsTurns: boolean,
  ): { run: Run | NativeRun; pump: Pump; first: string } {
    const { requestOptions, computerOptions, onDiagnostic } = options ?? {};
    requireClient(client);
    refuseBody(requestOptions);
    const consent = new ComputerConsent(computerOptions);
    const signal = requireSignal(
      options?.signal ?? signalOf(requestOptions) ?? computerOptions?.signal,
    );
    const runOptions = readRunOptions(options, yieldsTurns);
    const own = copyParams(params);
    const run = runFor({
      client,
      params: own,
      options: runOptions,
      tools: this.#tools,
      hasComputer: this.#computer !== undefined,
      functions: this.#functions,
      requestOptions,
      signal,
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
    const { session, isAborted, now } = pump;
    try {
      const first = native.beginRun(
        session,
        own.known(runOptions.needsWhole),
        runOptions.text,
        runOptions.ledger,
        run instanceof Run && runOptions.ledger !== null
          ? run.allTools(this.#computer !== undefined)
          : null,
        consent.given,
        pump.observer !== undefined,
        isAborted,
        now,
      );
      if (run instanceof NativeRun) run.begin(session);
      return { run, pump, first };
    } catch (error) {
      throw fromNative(error);
    }
  }
}

function checked(tools: ResponsesRunnerTools): {
  browser: BrowserToolset | undefined;
  computer: ComputerToolset | undefined;
  functions: readonly RunnerFunction[];
  early: string;
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
  return { browser, computer, functions, early: earlyText(tools.earlyExecution) };
}

function open(
  browser: Session | undefined,
  computer: Session | undefined,
  functions: readonly RegisteredFunction[],
  early: string,
): Session {
  const known = functions.map((registered) => registered.known);
  try {
    return native.openRunner(browser, computer, `[${known.join()}]`, early);
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

function stopOf(end: string, pump: Pump, response: unknown): ResponsesToolRunnerError {
  const stop = JSON.parse(end.slice(1)) as {
    code: string;
    message: string;
    attempted: string[];
    completed: string[];
  };
  const { code, message, attempted, completed } = stop;
  // The client's error is the caller's to read; what other code threw is not kept.
  const options =
    code === 'request_failed' ? { code, response, cause: pump.requestFailure } : { code, response };
  return new ResponsesToolRunnerError(message, attempted, completed, options);
}
