/** Records of functions and of approvals in a run (R-60, B-52). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResponsesToolRunner } from 'swingbridge';
import { deferred } from '../support.js';
import { clientOf, functionCall, lookup, message, responseOf } from './double.js';
import { ledgerOf } from './saved.js';
import { eventsOf, streamingClient } from './streams.js';

const SECRET = 'tr0ub4dor';
const SERVER = { type: 'mcp', server_label: 'docs', server_url: 'https://docs.example/mcp' };
const PARAMS = { model: 'm', input: SECRET };
const END = responseOf([message(SECRET)]);
const SENT = 'request completed';
const CALL = functionCall('lookup', { password: SECRET }, 'c1');
const ASK = {
  id: 'ask',
  type: 'mcp_approval_request',
  server_label: 'docs',
  name: 'search',
  arguments: `{"q":"${SECRET}"}`,
};
const fails = () => {
  throw new Error(SECRET);
};

/** The records of a run, none of which holds a secret. What the run came to is tested elsewhere. */
async function toldOf(functions, client, { tools = [SERVER], ...options } = {}) {
  const records = [];
  const onDiagnostic = (record) => void records.push({ ...record });
  const runner = new ResponsesToolRunner({ functions });
  await runner
    .run(client, { ...PARAMS, tools }, { onDiagnostic, ...options })
    .catch(() => undefined);
  assert.ok(!JSON.stringify(records).includes(SECRET));
  for (const { duration_ms: duration } of records) assert.ok(duration >= 0);
  return records.map(({ stage, reason, call_id: callId, member }) =>
    [stage, reason, callId, member].filter((word) => word !== null).join(' '),
  );
}

const outcomes = {
  'a function that returns': [() => SECRET, ['action completed c1 lookup']],
  'a function whose output is none': [
    () => ({ [SECRET]: SECRET }),
    ['action completed c1 lookup', 'output invalid_output c1 lookup'],
  ],
  'a function that throws': [fails, ['action driver_failed c1 lookup']],
};
for (const [what, [execute, expected]] of Object.entries(outcomes)) {
  test(`${what} is told`, async () => {
    const told = await toldOf([lookup(execute)], clientOf(responseOf([CALL]), END));
    assert.deepEqual(told.slice(0, expected.length + 1), [SENT, ...expected]);
  });
}

test('refused arguments are told', async () => {
  const refused = { ...CALL, arguments: `["${SECRET}"]` };
  const told = await toldOf([lookup(assert.fail)], clientOf(responseOf([refused])));
  assert.deepEqual(told, [SENT, 'arguments invalid_input c1 lookup']);
});

const decisions = {
  completed: () => true,
  refused: () => false,
  policy_failed: () => SECRET,
};
for (const [reason, approveMcp] of Object.entries(decisions)) {
  test(`an approval that is ${reason} is told`, async () => {
    const told = await toldOf([lookup()], clientOf(responseOf([ASK]), END), { approveMcp });
    assert.deepEqual(told.slice(0, 2), [SENT, `approval ${reason} ask search`]);
  });
}

test('an approval that nobody gives, and one whose callback throws, are told', async () => {
  for (const options of [{}, { approveMcp: fails }]) {
    const told = await toldOf([lookup()], clientOf(responseOf([ASK])), options);
    assert.deepEqual(told, [SENT, 'approval policy_failed ask search']);
  }
});

test('functions beside the stream are told in output order, whichever is over first', async () => {
  const first = deferred();
  const calls = responseOf(['c1', 'c2'].map((id) => functionCall('lookup', {}, id)));
  let count = 0;
  const execute = () => {
    count += 1;
    if (count === 1) return first.promise;
    first.resolve('later');
    return 'sooner';
  };
  const told = await toldOf(
    [{ ...lookup(execute), independent: true }],
    streamingClient(eventsOf(calls), eventsOf(END)),
    { stream: true, eager: true, tools: [] },
  );
  const actions = ['action completed c1 lookup', 'action completed c2 lookup'];
  assert.deepEqual(told, [...actions, SENT, SENT]);
});

test('a function that throws after an abort was cancelled', async () => {
  const abort = new AbortController();
  const execute = () => {
    abort.abort();
    throw new Error(SECRET);
  };
  const told = await toldOf([lookup(execute)], clientOf(responseOf([CALL])), {
    signal: abort.signal,
  });
  assert.deepEqual(told, [SENT, 'action cancelled c1 lookup']);
});

test('what a function did is saved before an observer that throws is told', async () => {
  const seen = [];
  const saved = [];
  const runner = new ResponsesToolRunner({ functions: [lookup()] });
  const { output } = await runner.run(clientOf(responseOf([CALL]), END), PARAMS, {
    ledger: ledgerOf({ save: ({ phase }) => void saved.push(`${phase} ${seen.length}`) }),
    onDiagnostic: ({ stage }) => {
      seen.push(stage);
      throw new Error(SECRET);
    },
  });
  assert.deepEqual(output, END.output);
  assert.deepEqual(seen, ['request', 'action', 'request']);
  assert.ok(saved.includes('pending 1'));
  assert.equal(saved.at(-1), 'final 3');
});

test('a run that does not begin tells nothing', async () => {
  assert.deepEqual(await toldOf([lookup()], clientOf(), { signal: AbortSignal.abort() }), []);
});
