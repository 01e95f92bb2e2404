/** What of a response goes back with the history, and what of it crosses. */

import * as native from '../native/native.js';
import { FOREIGN, knownFieldsOf, plainCopyOf } from './snapshot.js';

/** A response as it was read. */
export interface ReadResponse {
  /** Its items as they go back: detached, unknown fields included. */
  readonly items: unknown[];
  /** JSON of what the core reads. */
  readonly text: string;
}

/**
 * Reads a response, each field once. `isWhole` says whether all fields of its items cross: where they are
 * compared with items that came before. A response that cannot be read is foreign, which stops the run.
 */
export function readResponse(response: unknown, isWhole: boolean): ReadResponse {
  try {
    const { status, output, usage } = response as Record<string, unknown>;
    const copy = plainCopyOf({ status, output, usage });
    const text = isWhole ? JSON.stringify(copy) : knownFieldsOf(copy);
    return { items: replayedItems(copy), text };
  } catch {
    return { items: [], text: String(FOREIGN) };
  }
}

function replayedItems(response: unknown): unknown[] {
  const { output } = response as { output?: unknown };
  return Array.isArray(output) ? output.map(replayedItem) : [];
}

export function replayedItem(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return item;
  const kind = 'type' in item && typeof item.type === 'string' ? item.type : '';
  const names = Object.keys(item);
  const replayed = names.filter((name) => isReplayed(kind, name));
  if (replayed.length === names.length) return item;
  return Object.fromEntries(
    replayed.map((name) => [name, (item as Record<string, unknown>)[name]]),
  );
}

/** What the core said of the fields of each kind of item, so that it is asked once. */
const REPLAYED = new Map<string, Map<string, boolean>>();
/** The service may invent kinds and names, but they are not all kept. */
const MOST_KEPT = 256;

function isReplayed(kind: string, name: string): boolean {
  const fields = kept(REPLAYED, kind, () => new Map<string, boolean>());
  return kept(fields, name, () => native.isReplayedField(kind, name));
}

/** What `ask` says of a key, which is asked once. */
export function kept<T>(answers: Map<string, T>, key: string, ask: () => T): T {
  const known = answers.get(key);
  if (known !== undefined) return known;
  if (answers.size >= MOST_KEPT) answers.clear();
  const answer = ask();
  answers.set(key, answer);
  return answer;
}
