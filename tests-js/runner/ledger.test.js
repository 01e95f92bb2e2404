/** Saved runs (L-1, L-2, L-4, L-5). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigurationError, ResponsesToolRunner } from 'swingbridge';
import { deferred, isSettled, settled, toolsetOf, IMAGE } from '../support.js';
import { clientOf, functionCall, lookup, message, responseOf } from './double.js';
import { FIELDS, ledgerOf } from './saved.js';
import { eventsOf, streamingClient } from './streams.js';

const PARAMS = { model: 'm', input: 'go' };
const CALLS = responseOf([functionCall('lookup', {}, 'c1'), functionCall('lookup', {}, 'c2')]);
const END = responseOf([message()], { id: 'resp_end', extra: { kept: [1.5] } });
const runnerOf = (...functions) =>
  new ResponsesToolRunner({ functions: functions.length > 0 ? functions : [lookup()] });

test('a run is saved before each request and around each effect, by one revision each', async () => {
  const ledger = ledgerOf();
  const functions = [{ ...lookup(), allowOutputOverride: true }];
  const runner = new ResponsesToolRunner({ functions });
  assert.equal(await runner.run(clientOf(CALLS, END), PARAMS, { ledger }), END);
  for (const [index, checkpoint] of ledger.saved.entries()) {
    assert.deepEqual(Object.keys(checkpoint), FIELDS);
    assert.equal(checkpoint.revision, index + 1);
    const { version, run_id, max_steps, tools, output_override_names } = checkpoint;
    assert.deepEqual(
      { version, run_id, max_steps, tools, output_override_names },
      {
        version: 1,
        run_id: 'run_1',
        max_steps: 20,
        tools: [lookup().tool],
        output_override_names: ['lookup'],
      },
    );
  }
  const shown = ledger.saved.map((checkpoint) => [
    checkpoint.phase,
    checkpoint.consumed_requests,
    checkpoint.history.length,
    checkpoint.attempted_call_ids.length,
    checkpoint.returned_call_ids.length,
    checkpoint.pending_items.length,
    checkpoint.returned_outputs.length,
  ]);
  assert.deepEqual(shown, [
    ['boundary', 1, 1, 0, 0, 0, 0],
    ['pending', 1, 1, 0, 0, 2, 0],
    ['pending', 1, 1, 1, 0, 2, 0],
    ['pending', 1, 1, 1, 1, 2, 1],
    ['pending', 1, 1, 2, 1, 2, 1],
    ['pending', 1, 1, 2, 2, 2, 2],
    ['boundary', 1, 5, 2, 2, 0, 0],
    ['boundary', 2, 5, 2, 2, 0, 0],
    ['final', 2, 5, 2, 2, 0, 0],
  ]);
  const { final_response: final, history } = ledger.saved.at(-1);
  assert.deepEqual(final, END);
  assert.notEqual(final, END);
  assert.deepEqual(history, [
    { role: 'user', content: 'go' },
    ...CALLS.output,
    { type: 'function_call_output', call_id: 'c1', output: 'found' },
    { type: 'function_call_output', call_id: 'c2', output: 'found' },
  ]);
});

test('images, browser outputs and computer-free histories survive their storage', async () => {
  const ledger = ledgerOf();
  const browser = toolsetOf({ screenshot: () => IMAGE });
  const shot = functionCall('browser_screenshot', { tab_id: null }, 'c1');
  await new ResponsesToolRunner({ browser }).run(clientOf(responseOf([shot]), END), PARAMS, {
    ledger,
  });
  for (const checkpoint of ledger.saved) {
    assert.deepEqual(JSON.parse(JSON.stringify(checkpoint)), checkpoint);
  }
  assert.deepEqual(ledger.saved.at(-1).history.at(-1).output[1], IMAGE);
});

test('what an observer does to a response of the client is not saved', async () => {
  const end = structuredClone(END);
  const ledger = ledgerOf();
  let requests = 0;
  const onDiagnostic = ({ stage }) => {
    if (stage !== 'request' || ++requests < 2) return;
    end.id = 'resp_changed';
    end.output.length = 0;
  };
  await runnerOf().run(clientOf(CALLS, end), PARAMS, { ledger, onDiagnostic });
  assert.deepEqual(ledger.saved.at(-1).final_response, END);
});

test('what save does to its checkpoint changes nothing', async () => {
  const deface = (value) => {
    for (const [name, part] of Object.entries(Object(value))) {
      if (typeof part === 'object') deface(part);
      if (Array.isArray(value)) value[name] = 'defaced';
      else if (typeof value === 'object') delete value[name];
    }
  };
  const saved = [];
  const ledger = ledgerOf({
    save(checkpoint) {
      saved.push(structuredClone(checkpoint));
      deface(checkpoint);
    },
  });
  const client = clientOf(CALLS, END);
  await runnerOf().run(client, PARAMS, { ledger });
  const untouched = ledgerOf();
  await runnerOf().run(clientOf(CALLS, END), PARAMS, { ledger: untouched });
  assert.deepEqual(saved, untouched.saved);
  assert.deepEqual(client.requests[1].body.input, untouched.saved.at(-1).history);
  assert.deepEqual(client.requests[1].body.tools, [lookup().tool]);
});

test('what a client does to its body does not reach the next checkpoint', async () => {
  const ledger = ledgerOf();
  const edit = (given) => (body) => {
    body.input.length = 0;
    body.tools.length = 0;
    return given;
  };
  await runnerOf().run(clientOf(edit(CALLS), edit(END)), PARAMS, { ledger });
  assert.equal(ledger.saved.at(-1).history.length, 5);
  assert.equal(ledger.saved.at(-1).tools.length, 1);
});

for (const [how, fail] of Object.entries({
  throws: () => {
    throw new Error('secret');
  },
  rejects: () => Promise.reject(new Error('secret')),
})) {
  for (let revision = 1; revision <= 9; revision += 1) {
    test(`a save that ${how} at revision ${revision} stops the run before anything else`, async () => {
      let saves = 0;
      let executed = 0;
      const save = () => (++saves === revision ? fail() : undefined);
      const client = clientOf(CALLS, END);
      const runner = runnerOf(lookup(() => ((executed += 1), 'x')));
      await assert.rejects(
        runner.run(client, PARAMS, { ledger: { runId: 'r', save } }),
        (error) => {
          assert.equal(error.code, 'save_failed');
          assert.ok(!error.message.includes('secret') && error.cause === undefined);
          assert.equal(error.completedCallIds.length, executed);
          return true;
        },
      );
      assert.equal(saves, revision);
      assert.equal(executed, [0, 0, 0, 0, 1, 1, 2, 2, 2, 2][revision]);
      assert.equal(client.requests.length, revision === 1 ? 0 : revision === 9 ? 2 : 1);
      assert.deepEqual(runner.close(), { status: 'closed' });
    });
  }
}

test('a save is awaited', async () => {
  const gate = deferred();
  const client = clientOf(END);
  const running = runnerOf().run(client, PARAMS, {
    ledger: { runId: 'r', save: () => gate.promise },
  });
  assert.equal(await isSettled(running), false);
  assert.equal(client.requests.length, 0);
  gate.resolve();
  await running;
});

test('a save that never settles ends with the abort, and nothing is sent', async () => {
  const controller = new AbortController();
  const gate = deferred();
  const client = clientOf(END);
  const runner = runnerOf();
  const running = runner.run(client, PARAMS, {
    ledger: { runId: 'r', save: () => gate.promise },
    signal: controller.signal,
  });
  await settled();
  controller.abort();
  await assert.rejects(running, { code: 'run_cancelled' });
  assert.equal(client.requests.length, 0);
  await assert.rejects(runner.run(client, PARAMS), { code: 'busy' });
  gate.resolve();
  await settled();
  await runner.run(client, PARAMS);
});

test('a final response that is no plain data fails its save', async () => {
  const cycle = responseOf([message()]);
  cycle.self = cycle;
  const ledger = ledgerOf();
  await assert.rejects(runnerOf().run(clientOf(cycle), PARAMS, { ledger }), {
    code: 'save_failed',
  });
  assert.equal(await runnerOf().run(clientOf(cycle), PARAMS), cycle);
});

test('a stream is saved with the items that it has completed', async () => {
  const ledger = ledgerOf();
  const client = streamingClient(eventsOf(CALLS), eventsOf(END));
  await runnerOf().run(client, PARAMS, { ledger, stream: true, eager: true });
  const shown = ledger.saved.map(({ phase, pending_items, returned_outputs }) => [
    phase,
    pending_items.map(({ call_id, id }) => call_id ?? id),
    returned_outputs.map(({ call_id }) => call_id),
  ]);
  assert.deepEqual(shown.slice(0, 7), [
    ['boundary', [], []],
    ['pending', ['c1'], []],
    ['pending', ['c1'], []],
    ['pending', ['c1'], ['c1']],
    ['pending', ['c1', 'c2'], ['c1']],
    ['pending', ['c1', 'c2'], ['c1', 'c2']],
    ['boundary', [], []],
  ]);
  assert.deepEqual(shown.at(-1), ['final', [], []]);
  assert.equal(ledger.saved.at(-1).history.length, 5);
});

for (const [ledger, code] of [
  [5, 'ledger_invalid'],
  [() => 1, 'ledger_invalid'],
  [{ runId: 'r' }, 'ledger_invalid'],
  [{ runId: 'r', save: 'x' }, 'ledger_invalid'],
  [{ save() {} }, 'ledger_run_id'],
  [{ runId: '', save() {} }, 'ledger_run_id'],
  [{ runId: 5, save() {} }, 'ledger_run_id'],
  [{ runId: ['r'], save() {} }, 'ledger_run_id'],
]) {
  test(`a ledger is refused: ${JSON.stringify(ledger)} ${typeof ledger}`, async () => {
    const client = clientOf(END);
    await assert.rejects(runnerOf().run(client, PARAMS, { ledger }), (error) => {
      assert.ok(error instanceof ConfigurationError);
      assert.equal(error.code, code);
      return true;
    });
    assert.equal(client.requests.length, 0);
  });
}

test('null and undefined are no ledger, a blank or unpaired name is one', async () => {
  for (const ledger of [null, undefined]) await runnerOf().run(clientOf(END), PARAMS, { ledger });
  for (const runId of [' ', '\ud800']) {
    const ledger = ledgerOf({ runId });
    await runnerOf().run(clientOf(END), PARAMS, { ledger });
    assert.equal(ledger.saved[0].run_id, runId);
  }
});

test('save is called on its ledger', async () => {
  const ledger = {
    runId: 'r',
    rows: [],
    save({ revision }) {
      this.rows.push(revision);
    },
  };
  await runnerOf().run(clientOf(END), PARAMS, { ledger });
  assert.deepEqual(ledger.rows, [1, 2]);
});

test('secrets of declarations stay out of checkpoints and in the requests', async () => {
  const mcp = {
    type: 'mcp',
    server_label: 'docs',
    server_url: 'https://user:secret@docs.example/mcp?token=secret&v=1#part',
    authorization: 'secret',
    headers: { 'x-key': 'secret' },
    require_approval: 'never',
  };
  const ledger = ledgerOf();
  const client = clientOf(END);
  await runnerOf().run(client, { ...PARAMS, tools: [mcp] }, { ledger });
  assert.ok(!JSON.stringify(ledger.saved).includes('secret'));
  assert.match(ledger.saved[0].tools[1].server_url, /^sha256:[0-9a-f]{64}$/);
  assert.deepEqual(client.requests[0].body.tools[1], mcp);
  assert.equal(ledger.saved[0].phase, 'pending');
});

test('secrets that a response repeats are not saved', async () => {
  const mcp = {
    type: 'mcp',
    server_label: 'docs',
    server_url: 'https://user:hidden@docs.example/mcp?token=hidden',
    authorization: 'hidden',
    headers: { 'x-key': 'hidden' },
  };
  for (const [tool, isKept] of [
    [mcp, true],
    [{ ...mcp, server_url: 'no address' }, false],
  ]) {
    const ledger = ledgerOf();
    await runnerOf().run(clientOf({ ...END, tools: [tool] }), PARAMS, { ledger });
    assert.ok(!JSON.stringify(ledger.saved).includes('hidden'));
    const { tools } = ledger.saved.at(-1).final_response;
    // What cannot be told free of secrets is left out.
    assert.equal(tools?.[0].server_url.startsWith('sha256:'), isKept ? true : undefined);
  }
});

test('with a ledger the client must not send a request again by itself', async () => {
  const client = clientOf(CALLS, END);
  const requestOptions = { maxRetries: 5, timeout: 9 };
  await runnerOf().run(client, PARAMS, { ledger: ledgerOf(), requestOptions });
  assert.deepEqual(
    client.requests.map(({ options }) => options),
    Array(2).fill({ maxRetries: 0, timeout: 9 }),
  );
  assert.equal(requestOptions.maxRetries, 5);
});
