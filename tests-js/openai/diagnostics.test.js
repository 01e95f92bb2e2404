/** What observers of the two packages are told of the same runs (R-60, B-52). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import { loadVectors } from '../conformance/harness/data.js';
import { loadPackage } from '../conformance/harness/execute.js';
import { actsAtTurns, runRun } from '../conformance/harness/run.js';
import { npmClient } from '../conformance/harness/service.js';

/** What they tell and we do not, what we tell instead, and why. */
const DIFFERENCES = new Map([
  [
    ' -> responses request completed',
    'a response came and was paid for, whatever is found in it, as their Python package tells it',
  ],
  [
    ' -> responses request api_failed',
    'a stream that ends badly has cost something too, as their Python package tells it',
  ],
  [
    ' -> browser action completed',
    'list_tabs asks the driver like any other member, as their Python package tells it',
  ],
  [
    'browser approval policy_failed -> browser approval refused',
    'a no is no failure of the policy, as their Python package tells it',
  ],
]);

const published = await loadPackage('openai');
const ours = await loadPackage('swingbridge');

test('observers are told the same', async () => {
  const used = new Set();
  const wrong = [];
  let compared = 0;
  for (const vector of loadVectors('runner')) {
    const theirs = await told(vector, published);
    const mine = await told(vector, ours);
    // The vectors say which of two different runs is right.
    if (theirs.did !== mine.did) continue;
    compared += 1;
    const missing = words(less(theirs.records, mine.records));
    const extra = words(less(mine.records, theirs.records));
    const difference = `${missing} -> ${extra}`;
    if (DIFFERENCES.has(difference)) used.add(difference);
    else if (theirs.records.join() !== mine.records.join()) {
      wrong.push(`${vector.id}\n  theirs ${theirs.records}\n  ours   ${mine.records}`);
    }
  }
  assert.equal(wrong.join('\n'), '');
  assert.deepEqual([...used].sort(), [...DIFFERENCES.keys()].sort(), 'a listed difference is gone');
  assert.ok(compared > 600, `${compared} runs were the same`);
});

/** Each record of a run without its duration, and what was done. */
async function told(vector, pack) {
  const records = [];
  const method = actsAtTurns(vector) ? 'iterate' : 'run';
  const observe = (record) => void records.push({ ...record });
  const run = await runRun(vector, pack, { clientOf: npmClient(OpenAI), method, observe });
  for (const { duration_ms: duration } of records) assert.ok(duration >= 0);
  const { ok, error_class: errorClass, trace, driver_calls: calls } = run;
  return { records: records.map(shown), did: JSON.stringify([ok, errorClass, trace, calls]) };
}

function shown({ api, stage, reason, call_id: callId, member, usage }) {
  return [api, stage, reason, callId, member, JSON.stringify(usage)].join(' ');
}

/** The elements of one list that the other does not have as often. */
function less(list, other) {
  const rest = [...other];
  return list.filter((element) => {
    const at = rest.indexOf(element);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

/** The stage and the reason of each. */
function words(records) {
  return records
    .map((record) => record.split(' ').slice(0, 3).join(' '))
    .sort()
    .join();
}
