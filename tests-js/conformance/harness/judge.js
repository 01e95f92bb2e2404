/** Holds a package to the vectors of one kind. */
import { difference } from './compare.js';
import { acceptedRecords, loadVectors } from './data.js';
import { runVector } from './execute.js';

/** The failures of one kind, each with its id and what differs. */
export async function failuresOf(kind, pack, of = 'recommend') {
  return failuresAmong(loadVectors(kind), (vector) => runVector(vector, pack), of);
}

/** The failures among these vectors. Both records are compared as `view` shows them. */
export async function failuresAmong(vectors, run, of = 'recommend', view = (record) => record) {
  const failures = new Map();
  for (const vector of vectors) {
    const record = view(await run(vector), vector);
    const differences = acceptedRecords(vector, of).map((accepted) =>
      difference(view(accepted, vector), record),
    );
    if (!differences.includes(undefined)) failures.set(vector.id, differences.join('\n  or '));
  }
  return failures;
}

/** What is wrong: failures that are no known gaps, and gaps of this kind that pass. */
export function complaints(kind, failures, gaps) {
  const ids = new Set(loadVectors(kind).map(({ id }) => id));
  return [
    ...[...failures].filter(([id]) => !gaps.has(id)).map(([id, text]) => `${id}\n  ${text}`),
    ...[...gaps]
      .filter((id) => ids.has(id) && !failures.has(id))
      .map((id) => `${id}: passes; take it out of known_gaps.json`),
  ];
}
