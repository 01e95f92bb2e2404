/** Vectors, the record that counts for the Node face, and known gaps (conformance/README.md). */
import { readFileSync } from 'node:fs';

const CONFORMANCE = new URL('../../../conformance/', import.meta.url);

export const KINDS = ['arguments', 'state', 'read', 'image', 'outcome', 'approval', 'selection'];
export const FACES = ['rust', 'python-sync', 'python-async', 'node'];

/** All vectors of one kind, in file order. */
export function loadVectors(kind) {
  const text = readFileSync(new URL(`vectors/${kind}.jsonl`, CONFORMANCE), 'ascii');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/**
 * The records that pass: more than one where either package's answer is right. With `of`, those of
 * one of the measured packages, whatever is recommended.
 */
export function acceptedRecords(vector, of = 'recommend') {
  const python = vector.python;
  const node = vector.node === 'same' ? python : vector.node;
  if (of !== 'recommend') return [of === 'node' ? node : python];
  if (vector.agree) return [python];
  switch (vector.recommend) {
    case 'python':
      return [python];
    case 'node':
    case 'host':
      return [node];
    case 'either':
      return [python, node];
    case 'mixed':
      return [vector.mixed];
    default:
      throw new Error(`${vector.id}: no record is named by ${vector.recommend}`);
  }
}

/** The ids of the vectors that a face is known to fail. A malformed list would hide failures. */
export function gapIds(face, text = readFileSync(new URL('known_gaps.json', CONFORMANCE), 'utf8')) {
  const gaps = JSON.parse(text);
  for (const gap of gaps) {
    const names = Object.keys(gap).sort().join();
    if (names !== 'faces,id,reason')
      throw new Error(`a gap has exactly id, faces and reason: ${names}`);
    if (gap.faces.length === 0 || !gap.faces.every((name) => FACES.includes(name))) {
      throw new Error(`${gap.id}: faces must be some of ${FACES.join(', ')}`);
    }
    if (gap.reason.trim() === '') throw new Error(`${gap.id}: a gap needs a reason`);
  }
  if (new Set(gaps.map(({ id }) => id)).size !== gaps.length)
    throw new Error('a gap is listed twice');
  return new Set(gaps.filter(({ faces }) => faces.includes(face)).map(({ id }) => id));
}
