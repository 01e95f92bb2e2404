/** What an observer sees (B-52). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callOf, driverOf, payloadOf, toolsetOf } from '../support.js';

async function recordsOf(methods, options = {}, call = callOf('click')) {
  const records = [];
  const toolset = toolsetOf(methods, {
    onDiagnostic: (record) => records.push(record),
    ...options,
  });
  await toolset.execute(call).catch(() => undefined);
  return records;
}

const reasons = (records) => records.map(({ stage, reason }) => `${stage} ${reason}`);

test('a record has the documented fields and no content', async () => {
  const [approval, action] = await recordsOf({ click: () => 'secret' });
  for (const record of [approval, action]) {
    assert.deepEqual(Object.keys(record), [
      'api',
      'stage',
      'reason',
      'call_id',
      'member',
      'duration_ms',
      'usage',
    ]);
    assert.equal(record.api, 'browser');
    assert.equal(record.call_id, 'call_1');
    assert.equal(record.member, 'click');
    assert.equal(record.usage, null);
    assert.ok(record.duration_ms >= 0 && record.duration_ms < 60_000);
    assert.ok(!JSON.stringify(record).includes('secret'));
  }
});

test('each outcome has its record', async () => {
  const fails = () => {
    throw new Error('secret');
  };
  assert.deepEqual(reasons(await recordsOf({ click() {} })), [
    'approval completed',
    'action completed',
  ]);
  assert.deepEqual(reasons(await recordsOf({ click: fails })), [
    'approval completed',
    'action driver_failed',
  ]);
  assert.deepEqual(reasons(await recordsOf({ click: () => 5 })), [
    'approval completed',
    'output invalid_output',
  ]);
  assert.deepEqual(reasons(await recordsOf({ click() {} }, { confirm: () => false })), [
    'approval refused',
  ]);
  assert.deepEqual(reasons(await recordsOf({ click() {} }, { confirm: fails })), [
    'approval policy_failed',
  ]);
  assert.deepEqual(
    reasons(await recordsOf({ click() {} }, {}, callOf('click', { arguments: '{}' }))),
    ['arguments invalid_input'],
  );
});

test('durations are those of the stage', async () => {
  const { now } = performance;
  let time = 0;
  performance.now = () => time;
  try {
    const records = [];
    const toolset = toolsetOf(
      { click: () => void (time += 7.25) },
      { confirm: () => Boolean((time += 100)), onDiagnostic: (record) => records.push(record) },
    );
    await toolset.execute(callOf('click'));
    assert.deepEqual(
      records.map(({ duration_ms }) => duration_ms),
      [100, 7.25],
    );
  } finally {
    performance.now = now;
  }
});

test('an observer that throws, returns a promise or changes its record changes nothing', async () => {
  const plain = await toolsetOf({ click: () => 'done' }).execute(callOf('click'));
  for (const onDiagnostic of [
    () => {
      throw new Error('no');
    },
    async () => {
      throw new Error('no');
    },
    () => ({
      get then() {
        throw new Error('no');
      },
    }),
    (record) => {
      for (const name of Object.keys(record)) delete record[name];
    },
  ]) {
    const output = await toolsetOf({ click: () => 'done' }, { onDiagnostic }).execute(
      callOf('click'),
    );
    assert.deepEqual(output, plain);
  }
});

test('an observer of the call takes the place of the one in the options, which is looked up live', async () => {
  const seen = [];
  const options = { onDiagnostic: () => seen.push('options') };
  const { BrowserToolset } = await import('swingbridge');
  const toolset = new BrowserToolset(driverOf({ find: () => 't' }), options);
  const call = callOf('find', { arguments: '{"query":"a","tab_id":null}' });
  await toolset.execute(call, { onDiagnostic: () => seen.push('call') });
  options.onDiagnostic = () => seen.push('later');
  await toolset.execute(call);
  assert.deepEqual(seen, ['call', 'later']);
});

test('without an observer the clock is not read', async () => {
  const { now } = performance;
  performance.now = () => assert.fail('read the clock');
  try {
    assert.equal(payloadOf(await toolsetOf({ click() {} }).execute(callOf('click'))).ok, true);
  } finally {
    performance.now = now;
  }
});
