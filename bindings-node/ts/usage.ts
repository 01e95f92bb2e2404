/** Token counts of runs, added up. */

import * as native from '../native/native.js';
import type { RunnerDiagnostic } from './types.js';

/**
 * Adds up the token counts of the requests of one run or of several:
 *
 * ```js
 * const usage = new UsageSummary();
 * await runner.run(client, params, { onDiagnostic: usage.observe });
 * console.log(usage.totalTokens, usage.incomplete);
 * ```
 */
export class UsageSummary {
  readonly #totals = native.openUsage();

  /** Give it as `onDiagnostic`, or call it with each record from an observer of your own. */
  readonly observe = (event: Readonly<RunnerDiagnostic>): void => {
    const { api, stage, reason, usage } = event;
    const counts = usage && [usage.input_tokens, usage.output_tokens, usage.total_tokens];
    native.addUsage(this.#totals, api, stage, reason, counts);
  };

  /** Requests that were answered or failed. */
  get requests(): number {
    return this.#count(0);
  }

  /** Those whose token counts the service told. The totals are of these. */
  get counted(): number {
    return this.#count(1);
  }

  get inputTokens(): number {
    return this.#count(2);
  }

  get outputTokens(): number {
    return this.#count(3);
  }

  get totalTokens(): number {
    return this.#count(4);
  }

  /** Whether the totals lack the counts of some request: one that failed, or was not counted. */
  get incomplete(): boolean {
    return native.usageIsIncomplete(this.#totals);
  }

  /** What `JSON.stringify` shows. */
  toJSON(): Record<string, number | boolean> {
    const { requests, counted, inputTokens, outputTokens, totalTokens, incomplete } = this;
    return { requests, counted, inputTokens, outputTokens, totalTokens, incomplete };
  }

  #count(index: number): number {
    return native.usageTotals(this.#totals)[index] as number;
  }
}
