/** Responses, signals and clients that nobody would expect: a run always ends, with its receipts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BrowserToolset, ConfigurationError, ResponsesToolRunner } from 'swingbridge';
import { driverOf } from '../support.js';
import { clientOf, functionCall, lookup, message, responseOf } from './double.js';

const PARAMS = { model: 'm', input: 'go' };
const CALL = responseOf([functionCall('lookup', {}, 'c1')]);

const nested = (depth, wrap) => {
  let value = 'x';
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return value;
};
const cycle = message();
cycle.content = [cycle];
const sparse = [];
sparse.length = 4_000_000_000;

for (const [what, response] of Object.entries({
  'a bigint in its usage': responseOf([message()], { usage: { input_tokens: 1n } }),
  'a bigint in a field that no rule reads': responseOf([message('done', { extra: 1n })]),
  'too many lists in lists': responseOf([message('done', { content: nested(5000, (v) => [v]) })]),
  'too many objects in objects': responseOf([
    message('done', { extra: nested(5000, (output) => ({ output })) }),
  ]),
  'a cycle': responseOf([cycle]),
  'an endless list': responseOf(sparse),
  'parts that are shared many times over': responseOf([
    message('done', { extra: nested(60, (v) => [v, v]) }),
  ]),
  'a getter that throws': responseOf([
    {
      ...message(),
      get content() {
        throw new Error('secret');
      },
    },
  ]),
})) {
  test(`a response with ${what} stops the run, and the runner stays usable`, async () => {
    const runner = new ResponsesToolRunner({ functions: [lookup()] });
    await assert.rejects(runner.run(clientOf(CALL, response), PARAMS), {
      name: 'ResponsesToolRunnerError',
      code: 'response_incomplete',
      attemptedCallIds: ['c1'],
      completedCallIds: ['c1'],
    });
    await runner.run(clientOf(responseOf([message()])), PARAMS);
    assert.deepEqual(runner.close(), { status: 'closed' });
  });
}

test('a shared part of a response goes back in each of its places', async () => {
  const part = [{ type: 'summary_text', text: 't' }];
  const item = { id: 'rs_1', type: 'reasoning', summary: part, extra: { first: part } };
  const client = clientOf(
    responseOf([item, functionCall('lookup', {}, 'c1')]),
    responseOf([message()]),
  );
  await new ResponsesToolRunner({ functions: [lookup()] }).run(client, PARAMS);
  assert.deepEqual(client.requests[1].body.input[1], item);
});

test('what fails in this package itself ends the run with its receipts and without words', async (t) => {
  const client = clientOf(CALL, () => {
    // The next that is parsed is what the core asks for.
    const fails = () => {
      throw new RangeError('secret');
    };
    t.mock.method(JSON, 'parse', fails, { times: 1 });
    return responseOf([functionCall('lookup', {}, 'c2')]);
  });
  const runner = new ResponsesToolRunner({ functions: [lookup()] });
  await assert.rejects(runner.run(client, PARAMS), (error) => {
    assert.equal(error.name, 'ResponsesToolRunnerError');
    assert.equal(error.code, 'host_failed');
    assert.deepEqual([error.attemptedCallIds, error.completedCallIds], [['c1', 'c2'], ['c1']]);
    assert.ok(!error.message.includes('secret') && error.cause === undefined);
    return true;
  });
  await runner.run(clientOf(responseOf([message()])), PARAMS);
});

for (const signal of [
  5,
  {},
  { aborted: false },
  { aborted: 1, addEventListener() {}, removeEventListener() {} },
  {
    get aborted() {
      throw new Error('secret');
    },
  },
]) {
  for (const options of [{ signal }, { requestOptions: { signal } }]) {
    test(`${Object.keys(options)} with ${JSON.stringify(Object.keys(signal))}: no signal, refused`, async () => {
      const runner = new ResponsesToolRunner({});
      const client = clientOf();
      await assert.rejects(runner.run(client, PARAMS, options), ConfigurationError);
      assert.equal(client.requests.length, 0);
      assert.deepEqual(runner.close(), { status: 'closed' });
    });
  }
}

test('a signal that can no longer be read ends the run', async () => {
  let isBroken = false;
  const signal = {
    get aborted() {
      if (isBroken) throw new Error('secret');
      return false;
    },
    addEventListener() {},
    removeEventListener() {},
  };
  const execute = () => {
    isBroken = true;
    return 'found';
  };
  const runner = new ResponsesToolRunner({ functions: [lookup(execute)] });
  await assert.rejects(runner.run(clientOf(CALL), PARAMS, { signal }), {
    code: 'run_cancelled',
    attemptedCallIds: ['c1'],
    completedCallIds: ['c1'],
  });
  assert.deepEqual(runner.close(), { status: 'closed' });
});

test('each request has its own tools, metadata and other parameters', async () => {
  const declared = lookup();
  const params = {
    ...PARAMS,
    metadata: { trip: '1' },
    text: { format: { type: 'text' } },
    tools: [{ type: 'web_search', filters: { allowed_domains: ['example.com'] } }],
  };
  const edit = (body) => {
    body.metadata.trip = 'changed';
    body.text.format.type = 'changed';
    body.tools[0].name = 'changed';
    body.tools[0].parameters.properties.extra = {};
    body.tools[1].filters.allowed_domains.push('changed');
    body.include.push('changed');
    body.input.length = 0;
    return CALL;
  };
  const client = clientOf(edit, responseOf([message()]));
  await new ResponsesToolRunner({ functions: [declared] }).run(client, params);
  const [first, second] = client.requests.map(({ body: { input: _, ...others } }) => others);
  assert.deepEqual(second, first);
  assert.equal(client.requests[1].body.input.length, 3);
  assert.deepEqual(declared.tool, lookup().tool);
});

test('each browser call of a run has the callbacks that there are at its beginning', async () => {
  const log = [];
  const note = (name, value) => () => (log.push(name), value);
  const driver = driverOf({ click: note('click') });
  const state = { tabs: [] };
  driver.state = note('state 1', state);
  const options = {
    confirm: () => {
      log.push('confirm 1');
      driver.state = note('state 2', state);
      options.confirm = note('confirm 2', true);
      return true;
    },
  };
  const click = (id) => functionCall('browser_click', { target: 'e1', tab_id: null }, id);
  const browser = new BrowserToolset(driver, options);
  const client = clientOf(responseOf([click('c1'), click('c2')]), responseOf([message()]));
  await new ResponsesToolRunner({ browser }).run(client, PARAMS);
  const expected = (n) => [`state ${n}`, `confirm ${n}`, 'click', `state ${n}`];
  assert.deepEqual(log, [...expected(1), ...expected(2)]);
});
