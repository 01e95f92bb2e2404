/** Runs that go on from what was saved (L-3). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigurationError, ResponsesToolRunner } from 'swingbridge';
import { clientOf, functionCall, lookup, message, responseOf } from './double.js';
import { FIELDS, ledgerOf } from './saved.js';

const CALLS = responseOf([functionCall('lookup', {}, 'c1'), functionCall('lookup', {}, 'c2')]);
const END = responseOf([message()]);
const NOW = { model: 'm', input: 'It is done; go on.' };
const runnerOf = () => new ResponsesToolRunner({ functions: [lookup()] });

/** What a run has saved last when its second request fails. */
async function boundary() {
  const ledger = ledgerOf();
  const dead = () => Promise.reject(new Error('dead'));
  const running = runnerOf().run(clientOf(CALLS, dead), { model: 'm', input: 'go' }, { ledger });
  await assert.rejects(running, { code: 'request_failed' });
  return ledger.saved.at(-1);
}

test('a run goes on from its last boundary: history, receipts and revision', async () => {
  const resumeFrom = JSON.parse(JSON.stringify(await boundary()));
  const ledger = ledgerOf({ resumeFrom });
  const client = clientOf(responseOf([functionCall('lookup', {}, 'c3')]), END);
  const turns = [];
  for await (const turn of runnerOf().iterate(client, NOW, { ledger })) {
    turns.push([turn.step, turn.attemptedCallIds]);
  }
  assert.deepEqual(turns, [
    [3, ['c1', 'c2']],
    [4, ['c1', 'c2', 'c3']],
  ]);
  assert.deepEqual(client.requests[0].body.input, [
    ...resumeFrom.history,
    { role: 'user', content: NOW.input },
  ]);
  assert.equal(ledger.saved[0].revision, resumeFrom.revision + 1);
  assert.deepEqual(ledger.saved[0].attempted_call_ids, ['c1', 'c2']);
  assert.equal(ledger.saved.at(-1).consumed_requests, 4);
});

test('what is done to the checkpoint later does not reach the run', async () => {
  const resumeFrom = JSON.parse(JSON.stringify(await boundary()));
  const client = clientOf(() => {
    resumeFrom.history.length = 0;
    return responseOf([functionCall('lookup', {}, 'c3')]);
  }, END);
  await runnerOf().run(client, NOW, { ledger: ledgerOf({ resumeFrom }) });
  assert.equal(client.requests[1].body.input.length, 8);
});

const self = {};
self.history = [self];
const throwing = {
  get version() {
    throw new Error('secret');
  },
};
const edits = {
  'no object': [() => 5, 'checkpoint_invalid'],
  'a text': [() => 'x', 'checkpoint_invalid'],
  'a list': [() => [], 'checkpoint_invalid'],
  'a function': [() => () => 1, 'checkpoint_invalid'],
  'a cycle': [() => self, 'checkpoint_invalid'],
  'a getter that throws': [() => throwing, 'checkpoint_invalid'],
  'a revoked proxy': [
    () => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    },
    'checkpoint_invalid',
  ],
  'one more field': [(saved) => ({ ...saved, extra: 1 }), 'checkpoint_field_unknown'],
  'another run': [(saved) => ({ ...saved, run_id: 'other' }), 'checkpoint_mismatch'],
  'other tools': [(saved) => ({ ...saved, tools: [] }), 'checkpoint_mismatch'],
  'a pending phase': [(saved) => ({ ...saved, phase: 'pending' }), 'checkpoint_not_a_boundary'],
  'open receipts': [(saved) => ({ ...saved, returned_call_ids: [] }), 'checkpoint_receipts'],
  'a hole in its history': [
    (saved) => ({ ...saved, history: [...saved.history, undefined] }),
    'checkpoint_invalid',
  ],
  'a number that is none': [(saved) => ({ ...saved, revision: NaN }), 'checkpoint_invalid'],
  'a bigint': [(saved) => ({ ...saved, revision: 7n }), 'checkpoint_invalid'],
  'a Date as a text': [(saved) => ({ ...saved, run_id: new Date(0) }), 'checkpoint_invalid'],
};
for (const [what, [edit, code]] of Object.entries(edits)) {
  test(`a checkpoint with ${what} is refused before anything happens`, async () => {
    const ledger = ledgerOf({ resumeFrom: edit(await boundary()) });
    const client = clientOf(END);
    const runner = runnerOf();
    await assert.rejects(runner.run(client, NOW, { ledger }), (error) => {
      assert.ok(error instanceof ConfigurationError, String(error.stack));
      assert.equal(error.code, code);
      assert.ok(!error.message.includes('secret'));
      return true;
    });
    assert.deepEqual([client.requests.length, ledger.saved.length], [0, 0]);
    assert.deepEqual(runner.close(), { status: 'closed' });
  });
}

for (const field of FIELDS) {
  for (const value of [undefined, 0.5, { a: 1 }, [[]]]) {
    test(`a checkpoint whose ${field} is ${JSON.stringify(value)} is refused`, async () => {
      const ledger = ledgerOf({ resumeFrom: { ...(await boundary()), [field]: value } });
      const client = clientOf(END);
      await assert.rejects(runnerOf().run(client, NOW, { ledger }), ConfigurationError);
      assert.deepEqual([client.requests.length, ledger.saved.length], [0, 0]);
    });
  }
}

test('each field of a ledger and a checkpoint is read once', async () => {
  const reads = new Map();
  const counted = (value, path = '') => {
    if (typeof value !== 'object' || value === null) return value;
    return new Proxy(value, {
      get(target, name) {
        const part = Reflect.get(target, name);
        if (typeof name === 'symbol') return part;
        const place = `${path}.${name}`;
        if (name !== 'length') reads.set(place, (reads.get(place) ?? 0) + 1);
        return counted(part, place);
      },
    });
  };
  const resumeFrom = counted(await boundary());
  const ledger = ledgerOf();
  await runnerOf().run(clientOf(END), NOW, {
    ledger: counted({ runId: ledger.runId, save: ledger.save, resumeFrom }, 'ledger'),
  });
  assert.ok(reads.size > FIELDS.length);
  assert.deepEqual(
    [...reads].filter(([, times]) => times !== 1),
    [],
  );
});
