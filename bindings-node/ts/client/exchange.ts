/** One request or one wait for events, which the caller's signal can end. */

import * as native from '../../native/native.js';
import { isAborted, reasonOf } from '../signal.js';
import { errorOf } from './errors.js';

const ABORTED = JSON.stringify({ code: 'aborted', message: 'the request was aborted' });

/** Has one listener on the signal, from its first use until it is closed. */
export class Exchange {
  readonly #native = native.newExchange();
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => {
    this.abort();
    this.#release();
  };
  #isListening = false;
  #release: () => void = () => undefined;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /**
   * What `work` resolves with. Its promise never rejects: failures are what `failureOf` finds in it.
   *
   * @throws the error for a failure, an abort included.
   */
  async run<T>(
    work: (exchange: native.ExternalObject<native.Exchange>) => Promise<T>,
    failureOf: (outcome: T) => string | undefined,
  ): Promise<T> {
    if (isAborted(this.#signal)) throw this.#error(ABORTED);
    this.#listen();
    const outcome = await work(this.#native);
    const failure = failureOf(outcome);
    if (failure !== undefined) {
      this.close();
      throw this.#error(failure);
    }
    return outcome;
  }

  /** What an abort has to let go of while nothing is at work. */
  holds(release: () => void): void {
    this.#release = release;
    if (isAborted(this.#signal)) release();
  }

  /** Ends what is at work, which closes its socket. */
  abort(): void {
    native.abortExchange(this.#native);
  }

  /** Takes the listener from the signal. */
  close(): void {
    if (!this.#isListening) return;
    this.#isListening = false;
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }

  #listen(): void {
    if (this.#isListening || this.#signal === undefined) return;
    this.#isListening = true;
    this.#signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  #error(failure: string): Error {
    return errorOf(failure, isAborted(this.#signal) ? reasonOf(this.#signal) : undefined);
  }
}
