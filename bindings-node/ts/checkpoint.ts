/** The checkpoints of a run (L-1): the fields of the table in `core/src/ledger/mod.rs`, in that order. */

import * as native from '../native/native.js';
import type { History, HistoryUpdate } from './history.js';
import { detachedCopyOf } from './snapshot.js';

/** What the core says of a checkpoint. */
export interface CheckpointParts extends HistoryUpdate {
  revision: number;
  phase: 'boundary' | 'pending' | 'final';
  consumed_requests: number;
  /** -1 for the items of the last response, else so many of the stream. */
  pending?: number;
}

/** What all checkpoints of a run have in common. */
interface Frame {
  run_id: string;
  max_steps: number;
  tools: unknown[];
  output_override_names: string[];
}

/** The ids of the calls of a run, which are told once each. */
export class Receipts {
  readonly attempted: string[] = [];
  readonly completed: string[] = [];

  add({ attempted, completed }: { attempted: string[]; completed: string[] }): void {
    for (const id of attempted) this.attempted.push(id);
    for (const id of completed) this.completed.push(id);
  }
}

export class Checkpoints {
  readonly #frame: Frame;

  constructor(frameText: string) {
    this.#frame = JSON.parse(frameText) as Frame;
  }

  /**
   * A complete copy, whose fields are in the order in which every language writes them.
   *
   * @param final gives a copy of the final response, or throws if it is no plain data.
   */
  make(
    parts: CheckpointParts,
    history: History,
    receipts: Receipts,
    final: () => unknown,
  ): Record<string, unknown> {
    const { revision, phase, consumed_requests, pending } = parts;
    const frame = this.#frame;
    return {
      version: 1,
      run_id: frame.run_id,
      revision,
      phase,
      max_steps: frame.max_steps,
      consumed_requests,
      tools: detachedCopyOf(frame.tools),
      output_override_names: [...frame.output_override_names],
      history: history.items.map(detachedCopyOf),
      attempted_call_ids: [...receipts.attempted],
      returned_call_ids: [...receipts.completed],
      pending_items: pending === undefined ? [] : history.pending(pending).map(detachedCopyOf),
      returned_outputs: phase === 'pending' ? history.returned.map(detachedCopyOf) : [],
      final_response: phase === 'final' ? withoutSecrets(final()) : null,
    };
  }
}

/** The tools that a response repeats may have credentials of their servers (L-4). */
function withoutSecrets(response: unknown): unknown {
  if (typeof response !== 'object' || response === null || !('tools' in response)) return response;
  const { tools } = response;
  if (tools === null || tools === undefined) return response;
  const saved = native.savedTools(JSON.stringify(tools));
  if (typeof saved === 'string') response.tools = JSON.parse(saved);
  else delete (response as { tools?: unknown }).tools;
  return response;
}
