/** How large the next request may be. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigurationError, ResponsesToolRunner } from 'swingbridge';
import { clientOf, functionCall, lookup, message, responseOf } from './double.js';
import { ledgerOf } from './saved.js';

const PARAMS = { model: 'm', input: 'go' };
const END = responseOf([message()]);
const calls = (...ids) => responseOf(ids.map((id) => functionCall('lookup', {}, id)));
const WIDE = { maxInputBytes: 1e6, maxInputImages: 0 };

/** A run of two turns and the final one, with this budget. */
async function runWith(contextBudget, { output = 'found', options, params } = {}) {
  const client = clientOf(calls('c1'), calls('c2'), END);
  const runner = new ResponsesToolRunner({ functions: [lookup(() => output)] });
  await runner.run(client, { ...PARAMS, ...params }, { ...options, contextBudget });
  return client.requests.map(({ body }) => body);
}

/** The bytes of the last request's input. */
async function lastSize(output) {
  const bodies = await runWith(WIDE, { output });
  return Buffer.byteLength(JSON.stringify(bodies.at(-1).input));
}

test('a budget says that the service does not shorten, and compacts nothing that fits', async () => {
  const compact = () => assert.fail('asked');
  for (const { truncation } of await runWith({ ...WIDE, compact })) {
    assert.equal(truncation, 'disabled');
  }
});

test('the limit is exact, in bytes of UTF-8', async () => {
  for (const output of ['found', 'gefunden: ä😀', '"quoted"\n']) {
    const size = await lastSize(output);
    await runWith({ ...WIDE, maxInputBytes: size }, { output });
    await assert.rejects(runWith({ ...WIDE, maxInputBytes: size - 1 }, { output }), {
      code: 'context_over_budget',
      completedCallIds: ['c1', 'c2'],
    });
  }
});

test('compact sees copies of what would be sent, and its decision counts', async () => {
  const size = await lastSize();
  const asked = [];
  const ledger = ledgerOf();
  const compact = async (snapshot) => {
    asked.push(structuredClone(snapshot));
    const [first] = snapshot.eligibleCallIds;
    snapshot.history.length = 0;
    snapshot.eligibleCallIds.length = 0;
    return { dropCallIds: [first], summary: 'It was found.' };
  };
  const output = `found ${'x'.repeat(1000)}`;
  const bodies = await runWith(
    { ...WIDE, maxInputBytes: size + 1400, compact },
    { output, options: { ledger } },
  );
  assert.equal(asked.length, 1);
  const [{ history, eligibleCallIds, inputBytes, inputImages }] = asked;
  assert.deepEqual(eligibleCallIds, ['c1', 'c2']);
  assert.equal(inputBytes, Buffer.byteLength(JSON.stringify(history)));
  assert.equal(inputImages, 0);
  const { input } = bodies.at(-1);
  const own = input.filter(({ role, content }) => role === 'user' && content !== 'go');
  assert.ok(own.length === 2 && own[0].content.includes('It was found.'));
  assert.ok(own[1].content.includes('c1') && !own[1].content.includes('c2'));
  assert.deepEqual(
    input.flatMap(({ call_id }) => call_id ?? []),
    ['c2', 'c2'],
  );
  assert.deepEqual(history, ledger.saved.at(-1).history);
});

test('compact is called on its budget', async () => {
  const asked = [];
  const budget = {
    ...WIDE,
    maxInputBytes: 10,
    compact() {
      asked.push(this);
      return { dropCallIds: [] };
    },
  };
  await assert.rejects(runWith(budget), { code: 'context_over_budget' });
  assert.deepEqual(asked, [budget]);
});

const throwing = {
  get dropCallIds() {
    throw new Error('secret');
  },
};
for (const [decision, code] of [
  [undefined, 'compaction_invalid'],
  [null, 'compaction_invalid'],
  ['c1', 'compaction_invalid'],
  [['c1'], 'compaction_invalid'],
  [{}, 'compaction_invalid'],
  [{ dropCallIds: 'c1' }, 'compaction_invalid'],
  [{ dropCallIds: [5] }, 'compaction_invalid'],
  [{ dropCallIds: ['c9'] }, 'compaction_invalid'],
  [{ dropCallIds: ['c1', 'c1'] }, 'compaction_invalid'],
  [{ dropCallIds: [], extra: 1 }, 'compaction_invalid'],
  [{ dropCallIds: [], extra: () => 1 }, 'compaction_invalid'],
  [{ drop_call_ids: [] }, 'compaction_invalid'],
  [{ dropCallIds: [], summary: 5 }, 'compaction_invalid'],
  [{ dropCallIds: [], summary: '\ud800' }, 'compaction_invalid'],
  [throwing, 'compaction_invalid'],
  [{ dropCallIds: [], summary: undefined }, 'context_over_budget'],
]) {
  test(`a decision of ${JSON.stringify(decision === throwing ? 'a getter' : decision)}: ${code}`, async () => {
    const compact = () => decision;
    await assert.rejects(runWith({ ...WIDE, maxInputBytes: 10, compact }), (error) => {
      assert.deepEqual([error.name, error.code], ['ResponsesToolRunnerError', code]);
      assert.ok(!error.message.includes('secret'));
      return true;
    });
  });
}

for (const compact of [
  () => {
    throw new Error('secret');
  },
  () => Promise.reject(new Error('secret')),
]) {
  test(`a compact that fails: ${compact}`, async () => {
    await assert.rejects(runWith({ ...WIDE, maxInputBytes: 10, compact }), {
      code: 'compaction_failed',
    });
  });
}

const hostile = {
  get maxInputBytes() {
    throw new Error('secret');
  },
};
for (const contextBudget of [
  5,
  'wide',
  [],
  () => WIDE,
  {},
  { maxInputBytes: 5 },
  { maxInputImages: 5 },
  { ...WIDE, maxInputBytes: 0 },
  { ...WIDE, maxInputBytes: 1.5 },
  { ...WIDE, maxInputBytes: '5' },
  { ...WIDE, maxInputBytes: () => 5 },
  { ...WIDE, maxInputImages: -1 },
  { ...WIDE, maxInputImages: null },
  { ...WIDE, keepRecentScreenshots: -1 },
  { ...WIDE, keepRecentScreenshots: null },
  { ...WIDE, compact: 5 },
  { ...WIDE, compact: null },
  { ...WIDE, extra: 1 },
  { ...WIDE, extra: () => 1 },
  { ...WIDE, max_input_bytes: 5 },
  hostile,
]) {
  test(`a budget is refused: ${contextBudget === hostile ? 'a getter' : JSON.stringify(contextBudget)} ${typeof contextBudget?.extra}`, async () => {
    await assert.rejects(runWith(contextBudget), (error) => {
      assert.ok(error instanceof ConfigurationError, String(error.stack));
      assert.equal(error.code, 'context_budget_invalid');
      assert.ok(!error.message.includes('secret'));
      return true;
    });
  });
}

test('fields that are undefined, and a budget whose fields are inherited', async () => {
  await runWith({ ...WIDE, keepRecentScreenshots: undefined, compact: undefined });
  class Budget {
    get maxInputBytes() {
      return 10;
    }
    get maxInputImages() {
      return 0;
    }
  }
  await assert.rejects(runWith(new Budget()), { code: 'context_over_budget' });
});

test("a budget and the service's own ways to shorten exclude each other", async () => {
  for (const params of [{ truncation: 'auto' }, { context_management: [{ type: 'compaction' }] }]) {
    await assert.rejects(runWith(WIDE, { params }), { code: 'context_budget_and_native' });
  }
});

test('an unpaired surrogate in the history stops a run that measures it', async () => {
  const params = { input: [{ role: 'user', content: 'x\ud800' }] };
  await assert.rejects(runWith(WIDE, { params }), { code: 'history_invalid' });
  await runWith(undefined, { params });
});
