/**
 * The loop that performs what a machine of the core asks for (docs/driving.md). It decides nothing.
 *
 * Where the host's code answers at once, no promise is made: awaiting costs more than a whole step of
 * the core.
 */

import * as native from '../native/native.js';
import type { ComputerDesk } from './computer-host.js';
import { BrowserError, DrivingError, fromNative } from './errors.js';
import type { BrowserCallbacks, BrowserHost } from './host.js';
import { AbortWatch, isAborted, type Outcome } from './signal.js';
import { resultOf, screenshotOf, stateText, type Snapshot } from './snapshot.js';
import type { RunnerDiagnosticObserver } from './types.js';

export type Session = native.ExternalObject<native.Session>;

/** The kinds of asks: the first character of their texts (`convert.rs` and `run_asks.rs`). */
export const Kind = {
  ReadState: 'S',
  ReviewUrl: 'U',
  Confirm: 'C',
  Act: 'A',
  ApproveSafety: 'P',
  ReviewAction: 'V',
  ActOnComputer: 'M',
  TakeScreenshot: 'K',
  Emit: 'E',
  Send: 'R',
  ReadEvent: 'N',
  DeliverEvent: 'L',
  ReviewEarly: 'B',
  CallFunction: 'F',
  StartFunction: 'f',
  AwaitFunction: 'W',
  ApproveMcp: 'm',
  Measure: 'Z',
  Compact: 'c',
  Save: 's',
  Turn: 'T',
  Output: 'O',
  FailedOutput: 'o',
  ImageOutput: 'I',
  ComputerOutput: 'Q',
  Finished: 'D',
  Stopped: 'X',
} as const;

/** What only a run asks for. */
export interface Errands {
  /** Performs an ask; undefined for one that it has no errand for: an end, or a turn. */
  perform(ask: string, pump: Pump): Step | undefined;
  /** Where the pump keeps snapshots whose long texts do not cross. */
  readonly held: Held;
  /** Functions that were started and are not over. */
  readonly running: Promise<unknown> | undefined;
}

/** Snapshots by their places, which count from 0. */
export interface Held {
  readonly length: number;
  push(snapshot: unknown): unknown;
}

/** The next ask, or code of the host that has to settle first. */
export type Step = string | Pending;

/** Answers with what the host's code gave, and gives the next step. */
type Answer = (value: unknown, pump: Pump) => Step;

/** What becomes of code that an abort leaves alone; the promise is that of the code. */
export type Leave = (late: Promise<unknown>) => void;

/** Code of the host that has begun. */
export interface Pending {
  readonly value: PromiseLike<unknown>;
  readonly answer: Answer;
  /** Given if an abort ends the wait. */
  readonly leave: Leave | undefined;
}

/** One call or one run. */
export interface Work {
  readonly session: Session;
  /** The caller's own signal. */
  readonly signal: AbortSignal | undefined;
  readonly observer: RunnerDiagnosticObserver | undefined;
  /** For browser calls. */
  readonly host?: BrowserHost | undefined;
  /** For computer calls. */
  readonly computer?: ComputerDesk | undefined;
  /** For runs. */
  readonly errands?: Errands | undefined;
}

/** Drives one call or one run to its end. */
export class Pump {
  readonly session: Session;
  readonly signal: AbortSignal | undefined;
  readonly observer: RunnerDiagnosticObserver | undefined;
  readonly #host: BrowserHost | undefined;
  /** Those of the browser call at hand. */
  #callbacks: BrowserCallbacks | undefined;
  /** The browser call of a run that is at hand. */
  #callId = '';
  readonly #computer: ComputerDesk | undefined;
  readonly #errands: Errands | undefined;
  /**
   * V8 throws away the code that it optimised for a kind of object if none is left when it collects
   * garbage, which would be after nearly every call.
   */
  static readonly kept = new Pump({
    session: undefined as never,
    signal: undefined,
    observer: undefined,
    host: undefined,
  });
  /** Snapshots whose long texts did not cross; the core knows them by their place here. */
  readonly held: Held;
  /** The last of them. */
  lastHeld: unknown;
  /** What the host's code threw last. */
  failure: unknown;
  /** What the client threw. */
  requestFailure: unknown;
  /** The kind of the open ask. */
  #kind = '';
  readonly #watch: AbortWatch | undefined;
  /** The id of the open ask: they count from 0. */
  #ask = 0;

  constructor(work: Work) {
    this.session = work.session;
    this.signal = work.signal;
    this.observer = work.observer;
    this.#host = work.host;
    // A toolset's pump has one call, a run's has many.
    this.#callbacks = work.errands === undefined ? work.host?.callbacks() : undefined;
    this.#computer = work.computer;
    this.#errands = work.errands;
    this.held = work.errands?.held ?? [];
    this.#watch = work.signal && new AbortWatch(work.signal);
  }

  get isAborted(): boolean {
    return isAborted(this.signal);
  }

  /** Microseconds; 0 if nobody observes. */
  get now(): number {
    return this.observer === undefined ? 0 : Math.round(performance.now() * 1000);
  }

  /**
   * Performs asks until the machine is at its end or shows a turn, and gives that. There is an end
   * whatever happens here: work that is left open would keep the session busy for ever, and its receipts.
   */
  async drive(first: string): Promise<string> {
    // So that work which overlaps is refused whether or not the driver is asynchronous.
    await undefined;
    try {
      let ask = first;
      for (;;) {
        let step = this.#perform(ask);
        if (step === undefined) return ask;
        while (typeof step !== 'string') {
          if (step.leave !== undefined && this.#watch !== undefined) {
            step = await this.#leaveOnAbort(step, step.leave, this.#watch);
          } else {
            // Awaited right here: a method of its own would cost another promise for each ask.
            let value: unknown;
            let hasFailed = false;
            try {
              value = await step.value;
            } catch (error) {
              value = error;
              hasFailed = true;
            }
            step = hasFailed ? this.fail(value) : step.answer(value, this);
          }
        }
        ask = step;
      }
    } catch (error) {
      return this.#giveUp(error);
    } finally {
      this.#watch?.close();
    }
  }

  #giveUp(error: unknown): string {
    const { session } = this;
    const running = this.#errands?.running;
    const isRunning = running !== undefined;
    running?.then(() => native.release(session));
    // No word of the error: it may come from a value that is the driver's.
    return native.giveUp(session, faultCode(error), 'this package could not go on', isRunning);
  }

  /** Performs one ask and gives the next step; undefined at an end or a turn. */
  #perform(ask: string): Step | undefined {
    this.#kind = ask[0] as string;
    switch (this.#kind) {
      case Kind.ReadState:
        this.#enterCall(ask.slice(1));
        return this.perform(() => this.#callbacks?.state(this.context()), reportState, leaveAlone);
      case Kind.ReviewUrl: {
        const action = JSON.parse(ask.slice(1)) as { call_id: string; arguments: { url: string } };
        const { url } = action.arguments;
        this.#enterCall(action.call_id);
        return this.perform(
          () => this.#callbacks?.reviewUrl(action, url, this.context()),
          giveVerdict,
        );
      }
      case Kind.Confirm: {
        const action = JSON.parse(ask.slice(1)) as { call_id: string };
        this.#enterCall(action.call_id);
        return this.perform(() => this.#callbacks?.confirm(action, this.context()), giveVerdict);
      }
      case Kind.Act: {
        const start = ask.indexOf('{');
        const args: unknown = JSON.parse(ask.slice(start));
        const member = ask.slice(1, start);
        return this.perform(() => this.#host?.act(member, args, this.context()), giveResult);
      }
      case Kind.ApproveSafety: {
        const callId = ask.slice(1);
        return this.perform(() => this.#computer?.approve(callId, this.context()), giveVerdict);
      }
      case Kind.ReviewAction: {
        const position = ask.slice(1);
        return this.perform(() => this.#computer?.review(position, this.context()), giveVerdict);
      }
      case Kind.ActOnComputer: {
        const position = ask.slice(1);
        return this.perform(() => this.#computer?.act(position, this.context()), sayDone);
      }
      case Kind.TakeScreenshot:
        return this.perform(() => this.#computer?.screenshot(this.context()), giveScreenshot);
      case Kind.Emit:
        return this.#emit(JSON.parse(ask.slice(1)));
      default:
        return this.#errands?.perform(ask, this);
    }
  }

  /** In a run each browser call has the callbacks that there are at its beginning. */
  #enterCall(callId: string): void {
    if (this.#errands === undefined || this.#callId === callId) return;
    this.#callId = callId;
    this.#callbacks = this.#host?.callbacks();
  }

  /** Made anew for each call, so that changing it changes nothing. */
  context(): { signal: AbortSignal | undefined } {
    return { signal: this.signal };
  }

  /**
   * Calls the host's code and answers with what it gives. With `leave` an abort ends the wait; for all
   * other code it waits, because its effect would be unknown (B-51).
   */
  perform(call: () => unknown, answer: Answer, leave?: Leave): Step {
    let value: unknown;
    let isPending: boolean;
    try {
      value = call();
      isPending = isThenable(value);
    } catch (error) {
      return this.fail(error);
    }
    return isPending
      ? { value: value as PromiseLike<unknown>, answer, leave }
      : answer(value, this);
  }

  async #leaveOnAbort(step: Pending, leave: Leave, watch: AbortWatch): Promise<Step> {
    const settled = promiseOf(step.value);
    const outcome: Outcome | undefined = await watch.wait(settled);
    if (outcome === undefined) {
      // The session stays busy until the code that was left alone is over.
      const release = (): void => native.release(this.session);
      settled.then(release, release);
      leave(settled);
      return native.answerAbandoned(this.session, this.#ask++, this.now);
    }
    return 'error' in outcome ? this.fail(outcome.error) : step.answer(outcome.value, this);
  }

  answerText(text: string): string {
    return native.answerValue(this.session, this.#ask++, text, 0, this.isAborted, this.now);
  }

  answerVerdict(isApproved: boolean): string {
    return native.answerVerdict(this.session, this.#ask++, isApproved, this.isAborted, this.now);
  }

  answerDone(): string {
    return native.answerDone(this.session, this.#ask++, this.isAborted, this.now);
  }

  answerValue({ snapshot, text }: Snapshot): string {
    const handle = this.held.length;
    // Only objects have texts that stay here.
    if (typeof snapshot === 'object' && snapshot !== null) {
      this.held.push(snapshot);
      this.lastHeld = snapshot;
    }
    return native.answerValue(this.session, this.#ask++, text, handle, this.isAborted, this.now);
  }

  answerResponse(text: string): string {
    return native.answerResponse(this.session, this.#ask++, text, this.isAborted, this.now);
  }

  answerStreaming(): string {
    return native.answerStreaming(this.session, this.#ask++, this.isAborted, this.now);
  }

  /** `kind` is its number if nothing but that is read of it. */
  answerEvent(text: string, kind?: number): string {
    const { session, isAborted, now } = this;
    return kind === undefined
      ? native.answerEvent(session, this.#ask++, text, isAborted, now)
      : native.answerEventKind(session, this.#ask++, kind, isAborted, now);
  }

  answerStreamEnded(): string {
    return native.answerStreamEnded(this.session, this.#ask++, this.isAborted, this.now);
  }

  answerSeen(): string {
    return native.answerSeen(this.session, this.#ask++, this.isAborted, this.now);
  }

  /** Answers in another way, perhaps the open ask and some that follow. */
  answerBy(
    answer: (
      ask: number,
      isAborted: boolean,
      now: number,
    ) => { readonly ask: string; readonly count: number },
  ): string {
    const { ask, count } = answer(this.#ask, this.isAborted, this.now);
    this.#ask += count;
    return ask;
  }

  /** Answers that the host's code failed. */
  fail(error: unknown): string {
    this.failure = error;
    if (this.#kind === Kind.Send || this.#kind === Kind.ReadEvent) this.requestFailure = error;
    return native.answerFailed(
      this.session,
      this.#ask++,
      wordsFor(error),
      this.isAborted,
      this.now,
    );
  }

  /** Nothing that the observer does changes anything (B-52). */
  #emit(record: Parameters<RunnerDiagnosticObserver>[0]): string {
    try {
      const seen: unknown = this.observer?.(record);
      if (isThenable(seen)) promiseOf(seen).then(undefined, () => undefined);
    } catch {
      // Its own affair.
    }
    return this.answerSeen();
  }
}

/** What was left alone has nothing to be undone. */
export const leaveAlone: Leave = () => undefined;

const reportState: Answer = (report, pump) => pump.answerText(stateText(report));

/** Only exactly true approves (B-20). */
const giveVerdict: Answer = (answer, pump) => pump.answerVerdict(answer === true);

const giveResult: Answer = (result, pump) => pump.answerValue(resultOf(result));

/** What an action on a computer returned does not count. */
const sayDone: Answer = (_result, pump) => pump.answerDone();

const giveScreenshot: Answer = (screenshot, pump) => pump.answerValue(screenshotOf(screenshot));

/** JSON of the words that the model may read of an error; undefined for none (B-47). */
function wordsFor(error: unknown): string | undefined {
  try {
    if (!(error instanceof BrowserError)) return undefined;
    const words: unknown = error.message;
    return typeof words === 'string' ? JSON.stringify(words) : undefined;
  } catch {
    return undefined;
  }
}

export function isThenable(value: unknown): boolean {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return typeof (value as { then?: unknown }).then === 'function';
}

/** Unlike `Promise.resolve` this never throws: what a hostile promise throws rejects. */
export function promiseOf(value: unknown): Promise<unknown> {
  return new Promise((resolve) => resolve(value));
}

/** Which mistake of this package it was. */
function faultCode(error: unknown): string {
  try {
    const fault = fromNative(error);
    if (fault instanceof DrivingError) return fault.code;
  } catch {
    // As any other error.
  }
  return 'host_failed';
}
