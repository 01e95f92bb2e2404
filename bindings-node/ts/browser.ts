/** The browser helper (B-1 … B-53). */

import * as native from '../native/native.js';
import { errorClass, fromNative, isCancellation } from './errors.js';
import { BrowserHost } from './host.js';
import { Kind, Pump, type Session } from './pump.js';
import { reasonOf, requireSignal } from './signal.js';
import type {
  BrowserDriver,
  BrowserOptions,
  BrowserReadOptions,
  RunnerDiagnosticObserver,
} from './types.js';
import type {
  BrowserCallOutput,
  FunctionToolCall,
  InputImage,
  StrictFunctionTool,
} from './wire.js';

/** What a runner needs of a toolset. */
let inside: (toolset: BrowserToolset) => { session: Session; host: BrowserHost };

/**
 * Offers a driver to a model as strict function tools, and executes the calls that the model makes:
 * arguments, consent, action, result and state are checked, one call at a time.
 */
export class BrowserToolset {
  readonly #host: BrowserHost;
  readonly #session: Session;

  /**
   * @throws ConfigurationError (a TypeError) for members that do not exist, that the driver does not
   *   have, or that lack the callback they need (B-1 … B-5, B-22).
   */
  constructor(driver: BrowserDriver, options: BrowserReadOptions);
  constructor(driver: BrowserDriver, options?: BrowserOptions);
  constructor(driver: BrowserDriver, options?: BrowserOptions | BrowserReadOptions) {
    this.#host = new BrowserHost(driver, options);
    this.#session = open(this.#host);
  }

  /** The declarations of the enabled members, made anew at each call (B-4). */
  tools(): StrictFunctionTool[] {
    return JSON.parse(native.toolsJson(this.#session)) as StrictFunctionTool[];
  }

  /**
   * Executes one completed call. Failures of the driver and refusals are outputs for the model.
   *
   * @throws ContractError for a call that is not a completed call of an enabled member, and for a
   *   state or a result that breaks its contract; BusyError, ClosedError and, for what is no signal,
   *   ConfigurationError (TypeErrors); the signal's reason after an abort.
   */
  async execute(
    call: FunctionToolCall,
    options?: {
      signal?: AbortSignal | null | undefined;
      /** Instead of the observer in the toolset's options. */
      onDiagnostic?: RunnerDiagnosticObserver | undefined;
    },
  ): Promise<BrowserCallOutput> {
    const signal = requireSignal(options?.signal);
    const pump = this.#pump(signal, options?.onDiagnostic ?? this.#host.onDiagnostic);
    const fields = readCall(call);
    const end = await pump.drive(begin(pump, fields, false));
    return outputOf(end, fields.callId, pump);
  }

  /**
   * As `execute`, and says whether the call succeeded. With `skip` the call is not run, because an
   * earlier call of its response failed: the output says so and has the state.
   */
  async executeWithStatus(
    call: FunctionToolCall,
    signal?: AbortSignal,
    skip = false,
    onDiagnostic: RunnerDiagnosticObserver | undefined = this.#host.onDiagnostic,
  ): Promise<{ output: BrowserCallOutput; ok: boolean }> {
    const pump = this.#pump(requireSignal(signal), onDiagnostic);
    const fields = readCall(call);
    const end = await pump.drive(begin(pump, fields, skip));
    return { output: outputOf(end, fields.callId, pump), ok: end[0] !== Kind.FailedOutput };
  }

  #pump(
    signal: AbortSignal | undefined,
    observer: RunnerDiagnosticObserver | null | undefined,
  ): Pump {
    return new Pump({
      session: this.#session,
      signal,
      observer: observer ?? undefined,
      host: this.#host,
    });
  }

  /**
   * Refuses new work. If it says `draining`, await the call that still runs before you close your
   * browser. May be called inside a callback (B-50).
   */
  close(): { status: 'closed' | 'draining' } {
    return { status: native.close(this.#session) as 'closed' | 'draining' };
  }

  static {
    inside = (toolset) => ({ session: toolset.#session, host: toolset.#host });
  }
}

export { inside };

function open(host: BrowserHost): Session {
  try {
    return native.openBrowser(
      host.names('members'),
      host.names('additionalMembers'),
      host.names('confirmReads'),
      host.hasConfirm,
      host.hasUrlPolicy,
      [...host.methods.keys()],
    );
  } catch (error) {
    throw fromNative(error);
  }
}

/** The fields of a call, each read once; undefined where there is no well-formed text. */
interface CallFields {
  kind: string | undefined;
  name: string | undefined;
  callId: string | undefined;
  /** Null for text with unpaired surrogates. */
  arguments: string | null | undefined;
  /** Undefined if absent or null, "" if it is no text. */
  status: string | undefined;
}

function readCall(call: FunctionToolCall): CallFields {
  try {
    const {
      type,
      name,
      call_id,
      arguments: args,
      status,
    } = call as Partial<Record<keyof FunctionToolCall, unknown>>;
    return {
      kind: text(type),
      name: text(name),
      callId: text(call_id),
      arguments: typeof args === 'string' ? (text(args) ?? null) : undefined,
      status: status === undefined || status === null ? undefined : (text(status) ?? ''),
    };
  } catch {
    // A call whose fields cannot be read is as good as one without them.
    return NO_CALL;
  }
}

const NO_CALL: CallFields = {
  kind: undefined,
  name: undefined,
  callId: undefined,
  arguments: undefined,
  status: undefined,
};

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.isWellFormed() ? value : undefined;
}

function begin(pump: Pump, call: CallFields, skip: boolean): string {
  const { session, isAborted, now } = pump;
  try {
    if (skip) return native.beginSkippedCall(session, call.callId, isAborted, now);
    return native.beginCall(
      session,
      call.kind,
      call.name,
      call.callId,
      call.arguments,
      call.status,
      pump.observer !== undefined,
      isAborted,
      now,
    );
  } catch (error) {
    throw fromNative(error);
  }
}

function outputOf(end: string, callId: string | undefined, pump: Pump): BrowserCallOutput {
  const kind = end[0];
  if (kind === Kind.Stopped) throw stopOf(end, pump);
  const image = kind === Kind.ImageOutput ? pump.lastHeld : undefined;
  return outputItem(callId ?? '', end.slice(1), image);
}

function stopOf(end: string, pump: Pump): unknown {
  const { code, message } = JSON.parse(end.slice(1)) as { code: string; message: string };
  if (isCancellation(code)) return reasonOf(pump.signal);
  return new (errorClass(code))(message, code);
}

/** The output item of a call; an image is the driver's, in our copy. */
export function outputItem(callId: string, json: string, image: unknown): BrowserCallOutput {
  const payload = { type: 'input_text', text: json } as const;
  return {
    type: 'function_call_output',
    call_id: callId,
    output: image === undefined ? [payload] : [payload, image as InputImage],
  };
}
