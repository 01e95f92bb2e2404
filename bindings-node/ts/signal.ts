/** The caller's signal: an object of the caller's, which is trusted no more than any other. */

import { ConfigurationError } from './errors.js';

/**
 * The signal that was given, if any.
 *
 * @throws ConfigurationError for what is no AbortSignal: nobody would hear of an abort.
 */
export function requireSignal(given: unknown): AbortSignal | undefined {
  if (given === undefined || given === null) return undefined;
  if (!isSignal(given)) {
    throw new ConfigurationError('the signal must be an AbortSignal', 'signal_invalid');
  }
  return given;
}

/** A signal that can no longer be read counts as aborted: nobody could stop the work any more. */
export function isAborted(signal: AbortSignal | undefined): boolean {
  if (signal === undefined) return false;
  try {
    return signal.aborted !== false;
  } catch {
    return true;
  }
}

/** The caller's own reason, whatever it is. */
export function reasonOf(signal: AbortSignal | undefined): unknown {
  try {
    if (signal?.aborted === true) return signal.reason;
  } catch {
    // It has no reason that can be read.
  }
  return new DOMException('This operation was aborted', 'AbortError');
}

export type Outcome = { value: unknown } | { error: unknown };

/** Waits that an abort ends. It has one listener, however often it waits, and none once it is closed. */
export class AbortWatch {
  readonly #signal: AbortSignal;
  readonly #onAbort = (): void => this.#wake();
  #isListening = false;
  #wake: () => void = () => undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** What `pending` gives; undefined if the signal is aborted before. */
  wait(pending: Promise<unknown>): Promise<Outcome | undefined> {
    if (isAborted(this.#signal) || !this.#listen()) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#wake = () => resolve(undefined);
      pending.then(
        (value) => resolve({ value }),
        (error: unknown) => resolve({ error }),
      );
    });
  }

  close(): void {
    if (!this.#isListening) return;
    this.#isListening = false;
    try {
      this.#signal.removeEventListener('abort', this.#onAbort);
    } catch {
      // What is left in a signal that refuses this does nothing.
      this.#wake = () => undefined;
    }
  }

  /** False if nobody would hear of an abort. */
  #listen(): boolean {
    if (this.#isListening) return true;
    try {
      this.#signal.addEventListener('abort', this.#onAbort, { once: true });
      this.#isListening = true;
    } catch {
      return false;
    }
    return true;
  }
}

function isSignal(given: unknown): given is AbortSignal {
  if (typeof given !== 'object' || given === null) return false;
  try {
    const { aborted, addEventListener, removeEventListener } = given as Partial<AbortSignal>;
    return (
      typeof aborted === 'boolean' &&
      typeof addEventListener === 'function' &&
      typeof removeEventListener === 'function'
    );
  } catch {
    return false;
  }
}
