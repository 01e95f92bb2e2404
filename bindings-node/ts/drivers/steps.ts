/** Cancellation: checked before each call to the browser, and during the ones that can be stopped. */

export class Steps {
  readonly #signal: AbortSignal | undefined;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /**
   * Makes one call to the browser. A call without `stop` is bounded by its own limit and is waited
   * for. Throws the signal's reason once it is aborted.
   */
  async take<T>(call: () => Promise<T>, stop?: () => Promise<void>): Promise<T> {
    this.#signal?.throwIfAborted();
    if (this.#signal === undefined || stop === undefined) return call();
    return stoppable(call(), stop, this.#signal);
  }
}

/**
 * Ends a call when the signal comes. The browser must be at rest when the session is given back, so
 * the call is ended first, then waited for.
 */
async function stoppable<T>(
  call: Promise<T>,
  stop: () => Promise<void>,
  signal: AbortSignal,
): Promise<T> {
  let stopping: Promise<void> | undefined;
  const onAbort = (): void => {
    stopping = stop();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const [outcome] = await Promise.allSettled([call]);
    await stopping;
    signal.throwIfAborted();
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
