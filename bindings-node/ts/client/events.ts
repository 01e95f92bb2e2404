/** The stream of one response (N-2, N-3). */

import * as native from '../../native/native.js';
import { failedStream, unreadable } from './errors.js';
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
    exchange.holds(() => native.closeEvents(source));
    this.requestID = native.requestIdOf(source);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The next event. Rejects with what the service or the connection failed with, once. */
  next(): Promise<IteratorResult<ModelEvent, undefined>> {
    const text = this.#texts.pop();
    if (text === undefined || this.#waiting !== undefined) return this.#wait(text);
    try {
      return Promise.resolve({ done: false, value: this.#event(text) });
    } catch (error) {
      return Promise.reject(error as Error);
    }
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
  #wait(text: string | undefined): Promise<IteratorResult<ModelEvent, undefined>> {
    // It was taken out of turn.
    if (text !== undefined) this.#texts.push(text);
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
    return text === undefined ? OVER : { done: false, value: this.#event(text) };
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

  #event(text: string): ModelEvent {
    let event: unknown;
    try {
      event = JSON.parse(text);
    } catch {
      this.abort();
      throw unreadable(
        'event_not_json',
        'an event of the stream cannot be read as JSON',
        this.requestID,
      );
    }
    const { type, error } = (event ?? {}) as { type?: unknown; error?: unknown };
    if (typeof type !== 'string' && typeof error === 'object' && error !== null) {
      this.abort();
      throw failedStream(error, this.requestID);
    }
    return event as ModelEvent;
  }

  #end(): void {
    this.#isOver = true;
    this.#texts = [];
    native.closeEvents(this.#source);
    this.#exchange.close();
  }
}
