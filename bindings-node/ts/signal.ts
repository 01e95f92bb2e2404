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

/** What `pending` gives; undefined if the signal is aborted before. Leaves no listener behind. */
export function untilAborted(
  pending: Promise<unknown>,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  if (isAborted(signal)) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const stop = (): void => resolve(undefined);
    const settle = (outcome: Outcome): void => {
      resolve(outcome);
      try {
        signal.removeEventListener('abort', stop);
      } catch {
        // What is left in a signal that refuses this does nothing.
      }
    };
    pending.then(
      (value) => settle({ value }),
      (error: unknown) => settle({ error }),
    );
    try {
      signal.addEventListener('abort', stop, { once: true });
    } catch {
      stop();
    }
  });
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
