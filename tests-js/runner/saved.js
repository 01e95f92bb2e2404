/** Ledgers that the tests share. */

/** A ledger that keeps what it was given. */
export function ledgerOf(fields = {}) {
  const saved = [];
  return {
    saved,
    runId: 'run_1',
    async save(checkpoint) {
      saved.push(checkpoint);
    },
    ...fields,
  };
}

/** The fields of a checkpoint, in their order. */
export const FIELDS = [
  'version',
  'run_id',
  'revision',
  'phase',
  'max_steps',
  'consumed_requests',
  'tools',
  'output_override_names',
  'history',
  'attempted_call_ids',
  'returned_call_ids',
  'pending_items',
  'returned_outputs',
  'final_response',
];
