/** The stream of one response: how it is opened, read and ended. */

import * as native from '../native/native.js';
import type { ResponsesClient } from './client.js';
import { isThenable, promiseOf } from './pump.js';
import { kept, readResponse, replayedItem } from './response.js';
import { FOREIGN, plainCopyOf, scalarText } from './snapshot.js';

/** What a client's streams may have besides events. All of it is trusted no more than an event. */
interface Source {
  [Symbol.asyncIterator]?(): Iterator<unknown> | AsyncIterator<unknown>;
  [Symbol.iterator]?(): Iterator<unknown>;
  finalResponse?(): unknown;
  abort?(): unknown;
  controller?: { abort?(): unknown };
}

/** A client's own stream helper if it has one, because that also parses; else its plain stream. */
export function openStream(
  { responses }: ResponsesClient,
  body: Record<string, unknown>,
  requestOptions: object | undefined,
): unknown {
  return typeof responses.stream === 'function'
    ? responses.stream(body, requestOptions)
    : responses.create({ ...body, stream: true }, requestOptions);
}

export class ResponseStream {
  /** See `Pump.kept`. */
  static readonly kept = new ResponseStream([]);
  readonly #source: Source;
  readonly #iterator: Iterator<unknown> | AsyncIterator<unknown>;
  #isEnded = false;

  /** @throws for what is no iterable of events. */
  constructor(source: unknown) {
    this.#source = source as Source;
    const iterate = this.#source[Symbol.asyncIterator] ?? this.#source[Symbol.iterator];
    this.#iterator = Reflect.apply(iterate as () => Iterator<unknown>, source, []);
  }

  next(): unknown {
    return this.#iterator.next();
  }

  /** The client's own object of the response that an event completed. */
  final(event: unknown): unknown {
    const { finalResponse } = this.#source;
    return typeof finalResponse === 'function'
      ? Reflect.apply(finalResponse, this.#source, [])
      : (event as { response?: unknown }).response;
  }

  /** Lets go of the connection. What the stream does about that is its own affair. */
  end(isOver: boolean): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (isOver) return;
    // A generator that is being read returns only after that, so the request is aborted as well.
    quietly(() => this.#iterator.return?.());
    quietly(() => {
      const { abort, controller } = this.#source;
      if (typeof abort === 'function') return Reflect.apply(abort, this.#source, []) as unknown;
      return controller?.abort?.();
    });
  }
}

/** Ends a stream that came after nobody wanted it any more. */
export function endLate(late: Promise<unknown>): void {
  late.then(
    (source) => quietly(() => new ResponseStream(source).end(false)),
    () => undefined,
  );
}

function quietly(call: () => unknown): void {
  try {
    const pending = call();
    if (isThenable(pending)) promiseOf(pending).then(undefined, () => undefined);
  } catch {
    // Nothing is left to be done about it.
  }
}

/** An event as it was read. */
export interface ReadEvent {
  /** What crosses. */
  readonly text: string;
  /** What crosses instead if nothing but the kind is read. */
  readonly kind?: number | undefined;
  /** For the observer; undefined if there is none. */
  readonly copy?: unknown;
  /** A completed item as it goes back, and its place. */
  readonly item?: { readonly index: unknown; readonly item: unknown };
  /** The items of the response that the event completed. */
  readonly items?: unknown[];
  /** The client's own response that the stream ends with, if it failed or is incomplete. */
  readonly ending?: unknown;
}

const MALFORMED: ReadEvent = { text: String(FOREIGN) };

/**
 * Reads an event, each field once. `delivers` says whether somebody gets a copy, `early` whether items
 * are worked on before their response is complete.
 */
export function readEvent(event: unknown, delivers: boolean, early: boolean): ReadEvent {
  try {
    const copy = delivers ? plainCopyOf(event) : undefined;
    const source = (delivers ? copy : event) as Record<string, unknown>;
    const { type } = source;
    if (typeof type !== 'string') return MALFORMED;
    const { reads, number, alone } = kept(KINDS, type, () => new EventKind(type));
    if (reads === 'response') {
      const { text, items } = readResponse(source['response'], early);
      return { text: textOf(type, `"response":${text}`), copy, items };
    }
    if (reads === 'item' && early) {
      const whole = plainCopyOf(source['item']);
      const index = source['output_index'];
      const fields = `"output_index":${scalarText(index)},"item":${JSON.stringify(whole) ?? null}`;
      return { text: textOf(type, fields), copy, item: { index, item: replayedItem(whole) } };
    }
    const ending = reads === 'ending' ? (event as { response?: unknown }).response : undefined;
    return { text: alone, kind: number, copy, ending };
  } catch {
    return MALFORMED;
  }
}

/** What the core said of the kinds of events, so that it is asked once. */
const KINDS = new Map<string, EventKind>();

class EventKind {
  /** What the core reads of such an event. */
  readonly reads: string;
  readonly number: number | undefined;
  /** What crosses if nothing more is read and it has no number. */
  readonly alone: string;

  constructor(type: string) {
    this.reads = native.eventReads(type);
    // Text that Rust cannot have crosses as JSON.
    this.number = type.isWellFormed() ? (native.eventKind(type) ?? undefined) : undefined;
    this.alone = `{"type":${JSON.stringify(type)}}`;
  }
}

function textOf(type: string, fields: string): string {
  return `{"type":${JSON.stringify(type)},${fields}}`;
}
