/** The record of what happened in the browser (B-33). */

import type { BrowserObservationV1, BrowserStateChange } from '../types.js';

type Unnumbered<C> = C extends BrowserStateChange ? Omit<C, 'sequence'> : never;
type DialogKind = Extract<BrowserStateChange, { type: 'dialog_dismissed' }>['kind'];

const DIALOG_KINDS: readonly string[] = ['alert', 'confirm', 'prompt', 'beforeunload'];

/** Changes numbered from 1 without gaps; the oldest fall out of the buffer and are counted. */
export class ObservationLog {
  readonly #limit: number;
  #changes: BrowserStateChange[] = [];
  #sequence = 0;

  /** `limit` is how many changes one report carries at most. */
  constructor(limit = 64) {
    this.#limit = limit;
  }

  record(change: Unnumbered<BrowserStateChange>): void {
    this.#sequence += 1;
    this.#changes.push({ sequence: this.#sequence, ...change } as BrowserStateChange);
    if (this.#changes.length > this.#limit) this.#changes.shift();
  }

  /** A detached report of everything so far. */
  report(titleTruncated: boolean): BrowserObservationV1 {
    return {
      version: 1,
      sequence: this.#sequence,
      dropped_changes: this.#sequence - this.#changes.length,
      title_truncated: titleTruncated,
      changes: this.#changes.map((change) => ({ ...change })),
    };
  }
}

export function dialogKind(type: string): DialogKind {
  return DIALOG_KINDS.includes(type) ? (type as DialogKind) : 'other';
}
