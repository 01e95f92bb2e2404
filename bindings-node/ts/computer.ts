/** The computer helper (C-1 … C-9). */

import * as native from '../native/native.js';
import {
  refuseBody,
  requireClient,
  signalOf,
  type ParamsOf,
  type RequestOptionsOf,
  type ResponseOf,
  type ResponsesClient,
} from './client.js';
import { NativeRun } from './client/native-run.js';
import { runFor } from './client/run-for.js';
import { ComputerConsent, ComputerDesk, ComputerHost } from './computer-host.js';
import { computerOutputItem } from './computer-output.js';
import type {
  ComputerCall,
  ComputerCallInput,
  ComputerCallOutput,
  ComputerDriver,
  ComputerExecutionOptions,
  ComputerRunOptions,
  ComputerSafetyCheck,
} from './computer-types.js';
import {
  ComputerUseError,
  ContractError,
  errorClass,
  fromNative,
  isCancellation,
} from './errors.js';
import { copyParams } from './params.js';
import { Kind, Pump, type Session } from './pump.js';
import { countText, readRunOptions } from './run-options.js';
import { reasonOf, requireSignal } from './signal.js';
import { plainCopyOf, type Snapshot } from './snapshot.js';

/** What a runner needs of a computer toolset. */
let insideComputer: (toolset: ComputerToolset) => { session: Session; host: ComputerHost };

/**
 * Carries out the native computer calls of a model with a driver of yours: safety checks, consent, actions
 * in order, one picture at the end. The computer stays yours; it is never opened or closed here.
 */
export class ComputerToolset {
  readonly #host: ComputerHost;
  readonly #session: Session;

  /** @throws ConfigurationError (a TypeError) if the driver lacks one of the nine methods (C-1). */
  constructor(driver: ComputerDriver) {
    this.#host = new ComputerHost(driver);
    this.#session = native.openComputer();
  }

  /**
   * Executes one completed call: all its actions once each, then one screenshot (C-2 … C-6).
   *
   * @throws ComputerUseError for a call that may not run, for what was not approved and for a screenshot
   *   that breaks its contract; whatever your driver or callback threw, as it is; BusyError and
   *   ClosedError (TypeErrors); the signal's reason after an abort.
   */
  async execute(
    call: ComputerCallInput,
    options?: ComputerExecutionOptions | null,
  ): Promise<ComputerCallOutput> {
    const consent = new ComputerConsent(options);
    const { snapshot, text } = snapshotOf(call);
    const pump = new Pump({
      session: this.#session,
      signal: requireSignal(options?.signal),
      observer: options?.onDiagnostic,
      computer: new ComputerDesk(this.#host, consent, () => snapshot as ComputerCall),
    });
    const end = await pump.drive(beginCall(pump, text, consent));
    if (end[0] === Kind.Stopped) throw stopOf(end, pump, undefined);
    const { call_id } = snapshot as ComputerCall;
    const acknowledged = JSON.parse(end.slice(1)) as ComputerSafetyCheck[];
    return computerOutputItem({ call_id, acknowledged }, pump.lastHeld);
  }

  /**
   * The loop that has nothing but this computer: requests, and the calls that the responses ask for, until
   * there is a final message (C-7). The computer is declared if `params.tools` does not; a forced
   * `tool_choice` is `auto` after the first request; the whole history is sent each time.
   *
   * @returns the client's own response object.
   * @throws ConfigurationError (a TypeError) before the first request; ComputerUseError, with the last
   *   response, for everything that stops the loop; whatever your client, driver or callback threw, as
   *   it is; BusyError and ClosedError (TypeErrors); the signal's reason after an abort.
   */
  async run<C extends ResponsesClient>(
    client: C,
    params: ParamsOf<C>,
    options?: ComputerRunOptions<RequestOptionsOf<C>> | null,
  ): Promise<ResponseOf<C>> {
    const { maxSteps, requestOptions, onDiagnostic } = options ?? {};
    requireClient(client);
    refuseBody(requestOptions);
    const consent = new ComputerConsent(options);
    const signal = requireSignal(options?.signal ?? signalOf(requestOptions));
    const own = copyParams(params);
    const run = runFor({
      client,
      params: own,
      options: readRunOptions(undefined, false),
      tools: [],
      hasComputer: true,
      functions: [],
      requestOptions,
      signal,
    });
    const pump = new Pump({
      session: this.#session,
      signal,
      observer: onDiagnostic,
      computer: new ComputerDesk(this.#host, consent, (callId) => run.computerCall(callId)),
      errands: run,
    });
    const first = beginRun(pump, own.known(false), countText(maxSteps), consent);
    if (run instanceof NativeRun) run.begin(this.#session);
    const end = await pump.drive(first);
    if (end[0] !== Kind.Finished) throw stopOf(end, pump, run.response);
    return run.response as ResponseOf<C>;
  }

  /**
   * Refuses new work. If it says `draining`, await the call or the run that is still at work before you
   * close your computer. May be called inside a callback (B-50).
   */
  close(): { status: 'closed' | 'draining' } {
    return { status: native.close(this.#session) as 'closed' | 'draining' };
  }

  /**
   * A copy of a call that may be executed.
   *
   * @throws ComputerUseError for any other call (C-2, C-3).
   */
  static validate<T extends ComputerCallInput>(call: T): T {
    const { snapshot, text } = snapshotOf(call);
    if (!native.isComputerCall(text)) {
      const code = 'computer_call_invalid';
      throw new ComputerUseError('the computer call is malformed or not supported', code);
    }
    return snapshot as T;
  }

  static {
    insideComputer = (toolset) => ({ session: toolset.#session, host: toolset.#host });
  }
}

export { insideComputer };

/** The call's plain data, unknown fields included. */
function snapshotOf(call: unknown): Snapshot {
  try {
    const snapshot = plainCopyOf(call) ?? null;
    return { snapshot, text: JSON.stringify(snapshot) };
  } catch {
    // A call that cannot be read is as good as none.
    return { snapshot: null, text: 'null' };
  }
}

function beginCall(pump: Pump, call: string, consent: ComputerConsent): string {
  const { session, isAborted, now } = pump;
  const observed = pump.observer !== undefined;
  try {
    return native.beginComputerCall(session, call, consent.given, observed, isAborted, now);
  } catch (error) {
    throw fromNative(error);
  }
}

function beginRun(pump: Pump, params: string, maxSteps: string, consent: ComputerConsent): string {
  const { session, isAborted, now } = pump;
  const observed = pump.observer !== undefined;
  try {
    return native.beginComputerRun(
      session,
      params,
      maxSteps,
      consent.given,
      observed,
      isAborted,
      now,
    );
  } catch (error) {
    throw fromNative(error);
  }
}

function stopOf(end: string, pump: Pump, response: unknown): unknown {
  const { code, message } = JSON.parse(end.slice(1)) as { code: string; message: string };
  if (isCancellation(code)) return reasonOf(pump.signal);
  // The caller's own code failed, and with that the work: its error is the caller's to read.
  if (pump.failure !== undefined) return pump.failure;
  const type = errorClass(code);
  return type === ContractError || type === ComputerUseError
    ? new ComputerUseError(message, code, { response })
    : new type(message, code);
}
