/** What of a conversation the host of a run holds (docs/driving.md, "What the host holds"). */

import { outputItem } from './browser.js';
import { savedOutputItem, type ComputerOutput } from './computer-output.js';

/** What changed since the core told last. Each change is told once. */
export interface HistoryUpdate {
  outputs?: CallOutput[];
  commits?: true;
  texts?: string[];
}

/** Those without any other field are of functions. */
type CallOutput =
  | { call_id: string; text?: string; image?: number }
  | { request_id: string; approve: boolean }
  | ComputerOutput;

/** Ranges of the history, and texts of the core's own; undefined for all of it. */
export type Projection = readonly (string | [start: number, end: number])[] | undefined;

/** Items are detached, unknown fields included, without what is not replayed. */
export class History {
  /** The items of the next request. */
  readonly items: unknown[];
  /** The outputs that were made for the response at hand. */
  returned: unknown[] = [];
  /** What functions returned, or the caller supplied for them, by call id. */
  readonly functionOutputs = new Map<string, unknown>();
  /** Snapshots whose long texts did not cross; the core knows them by their place here. */
  readonly #held: readonly unknown[];
  /** The items of the response at hand. */
  #response: unknown[] = [];
  /** Those that its stream has completed so far. */
  readonly #streamed = new Map<number, unknown>();

  constructor(items: unknown[], held: readonly unknown[]) {
    this.items = items;
    this.#held = held;
  }

  apply(update: HistoryUpdate): void {
    for (const output of update.outputs ?? []) this.returned.push(this.#outputItem(output));
    if (update.commits) {
      for (const item of this.#response) this.items.push(item);
      for (const item of this.returned) this.items.push(item);
      this.#response = [];
      this.returned = [];
    }
    for (const text of update.texts ?? []) this.items.push(userMessage(text));
  }

  /** Forgets what was made for the response before. */
  beginRequest(): void {
    this.functionOutputs.clear();
    this.#streamed.clear();
  }

  takeResponse(items: unknown[]): void {
    this.#response = items;
    this.#streamed.clear();
  }

  takeStreamed(index: number, item: unknown): void {
    this.#streamed.set(index, item);
  }

  /** The items of the last response, or the first so many that its stream completed. */
  pending(count: number): readonly unknown[] {
    if (count < 0) return this.#response;
    return Array.from({ length: count }, (_, index) => this.#streamed.get(index));
  }

  /** What a request carries. */
  projected(projection: Projection): unknown[] {
    if (projection === undefined) return [...this.items];
    return projection.flatMap((part) =>
      typeof part === 'string' ? [userMessage(part)] : this.items.slice(...part),
    );
  }

  /**
   * The item of the response at hand that is of one of these kinds and has this text in this field. Items of
   * other kinds may have any unknown field: whoever consents must not be shown one of those.
   */
  find(kinds: readonly string[], field: 'call_id' | 'id', text: string): unknown {
    const isIt = (item: unknown): boolean => {
      const fields = item as Record<string, unknown> | null | undefined;
      return fields?.[field] === text && kinds.includes(fields['type'] as string);
    };
    return this.#response.find(isIt) ?? [...this.#streamed.values()].find(isIt);
  }

  #outputItem(output: CallOutput): unknown {
    if ('screenshot' in output) return savedOutputItem(output, this.#held[output.screenshot]);
    if ('request_id' in output) {
      const { request_id, approve } = output;
      return { type: 'mcp_approval_response', approval_request_id: request_id, approve };
    }
    const { call_id, text, image } = output;
    return text === undefined
      ? { type: 'function_call_output', call_id, output: this.functionOutputs.get(call_id) }
      : outputItem(call_id, text, image === undefined ? undefined : this.#held[image]);
  }
}

export function userMessage(content: unknown): { role: 'user'; content: unknown } {
  return { role: 'user', content };
}
