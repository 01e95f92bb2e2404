/** The stream of one response (N-2, N-3). */

import * as native from '../../native/native.js';
import type { Exchange } from './exchange.js';
import type { ModelEvent } from './types.js';

export type Source = native.ExternalObject<native.Source>;

const OVER: IteratorReturnResult<undefined> = Object.freeze({ done: true, value: undefined });

/**
 * The events of a response as they arrive, each a plain object. It is read once. To leave its loop
 * closes the socket, as do `return`, `abort` and the request's signal.
 */
export class ModelEventStream implements AsyncIterableIterator<ModelEvent> {
  /** The service's own name of the request. */
  readonly requestID: string | null;
  readonly #source: Source;
  readonly #exchange: Exchange;
  /** Texts of events that were taken over, the next one last. */
  #texts: string[] = [];
  /** The wait that is open; reads that came meanwhile follow it. */
  #waiting: Promise<unknown> | undefined;
  #isOver = false;

  /** Made by `responses.create`. */
  constructor(source: Source, exchange: Exchange) {
    this.#source = source;
    this.#exchange = exchange;
    exchange.holds(() => {
      this.#texts = [];
      native.closeEvents(source);
    });
    this.requestID = native.requestIdOf(source);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The next event. Rejects with what the service or the connection failed with, once. */
  next(): Promise<IteratorResult<ModelEvent, undefined>> {
    if (this.#waiting !== undefined || this.#texts.length === 0) return this.#wait();
    return Promise.resolve(this.#eventIn(this.#texts.pop() as string));
  }

  /** Ends the stream. */
  async return(): Promise<IteratorReturnResult<undefined>> {
    this.abort();
    return OVER;
  }

  /** As `return`: the loop over this stream ends. */
  abort(): void {
    this.#end();
    this.#exchange.abort();
  }

  /** Asks the source; several that wait are served in the order in which they came. */
  #wait(): Promise<IteratorResult<ModelEvent, undefined>> {
    const wait = Promise.resolve(this.#waiting).then(() => this.#next());
    // Its reaction runs before that of who waits, whose next read finds it done.
    const settled: Promise<void> = wait.then(
      () => this.#settle(settled),
      () => this.#settle(settled),
    );
    this.#waiting = settled;
    return wait;
  }

  #settle(wait: Promise<unknown>): void {
    if (this.#waiting === wait) this.#waiting = undefined;
  }

  async #next(): Promise<IteratorResult<ModelEvent, undefined>> {
    if (this.#texts.length === 0 && !this.#isOver && !(await this.#read())) this.#end();
    const text = this.#texts.pop();
    return text === undefined ? OVER : this.#eventIn(text);
  }

  /** Whether there are more events. */
  async #read(): Promise<boolean> {
    const failure = (outcome: string | null): string | undefined => outcome || undefined;
    try {
      const end = await this.#exchange.run(
        (exchange) => native.awaitEvents(this.#source, exchange),
        failure,
      );
      if (end !== null || this.#isOver) return false;
      this.#texts = native.takeEvents(this.#source).reverse();
      return true;
    } catch (error) {
      // Who ended the stream does not hear of it again.
      if (this.#isOver) return false;
      this.#end();
      throw error;
    }
  }

  /** The addon has seen that it is JSON. */
  #eventIn(text: string): IteratorYieldResult<ModelEvent> {
    const value = JSON.parse(text) as ModelEvent;
    const { response } = value;
    if (typeof response === 'object' && response !== null) namedAs(response, this.requestID);
    return { done: false, value };
  }

  #end(): void {
    this.#isOver = true;
    this.#texts = [];
    native.closeEvents(this.#source);
    this.#exchange.close();
  }
}

/** The response with the service's own name of the request, which is not among its own fields. */
export function namedAs<T extends object>(response: T, requestId: string | null): T {
  return Object.defineProperty(response, '_request_id', { value: requestId });
}
