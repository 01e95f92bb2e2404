/** Approvals for tools of remote MCP servers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResponsesToolRunner } from 'swingbridge';
import { clientOf, message, responseOf } from './double.js';
import { ledgerOf } from './saved.js';

const SERVER = { type: 'mcp', server_label: 'docs', server_url: 'https://docs.example/mcp' };
const PARAMS = { model: 'm', input: 'go', tools: [SERVER] };
const END = responseOf([message()]);
const ask = (id, fields = {}) => ({
  id,
  type: 'mcp_approval_request',
  server_label: 'docs',
  name: 'search',
  arguments: '{"q":"x"}',
  ...fields,
});
const answer = (id, approve) => ({
  type: 'mcp_approval_response',
  approval_request_id: id,
  approve,
});
const used = (id, approval_request_id) => ({
  id,
  type: 'mcp_call',
  server_label: 'docs',
  name: 'search',
  arguments: '{"q":"x"}',
  approval_request_id,
  output: 'hit',
  error: null,
  status: 'completed',
});
const run = (client, options, params = PARAMS) =>
  new ResponsesToolRunner({}).run(client, params, options);

for (const decision of [true, false]) {
  test(`${decision} is told to the service, whatever is done to the copy of the request`, async () => {
    const asked = [];
    const client = clientOf(responseOf([ask('r1')]), END);
    await run(client, {
      approveMcp: async (request) => {
        asked.push({ ...request });
        for (const name of Object.keys(request)) delete request[name];
        return decision;
      },
    });
    assert.deepEqual(asked, [ask('r1')]);
    assert.deepEqual(client.requests[1].body.input.slice(1), [ask('r1'), answer('r1', decision)]);
  });
}

for (const [what, approveMcp] of Object.entries({
  'nobody to ask': undefined,
  'an answer of 1': () => 1,
  'an answer in words': () => 'true',
  'no answer': () => undefined,
  'an answer that is an object': () => Object(true),
  'a callback that throws': () => {
    throw new Error('secret');
  },
  'a callback that rejects': () => Promise.reject(new Error('secret')),
})) {
  test(`${what} stops the run, and nothing is told to the service`, async () => {
    const client = clientOf(responseOf([ask('r1')]), END);
    await assert.rejects(run(client, { approveMcp }), (error) => {
      assert.deepEqual(
        [error.name, error.code],
        ['ResponsesToolRunnerError', 'mcp_approval_undecided'],
      );
      // Without a callback the response is refused as a whole.
      assert.deepEqual(error.attemptedCallIds, approveMcp === undefined ? [] : ['r1']);
      assert.deepEqual(error.completedCallIds, []);
      assert.ok(!error.message.includes('secret'));
      return true;
    });
    assert.equal(client.requests.length, 1);
  });
}

test('an approval is for one call of that tool with those arguments', async () => {
  const approveMcp = () => true;
  const good = clientOf(responseOf([ask('r1')]), responseOf([used('m1', 'r1'), message()]));
  await run(good, { approveMcp });
  const twice = clientOf(
    responseOf([ask('r1')]),
    responseOf([used('m1', 'r1'), used('m2', 'r1'), message()]),
  );
  await assert.rejects(run(twice, { approveMcp }), { code: 'mcp_not_approved' });
});

test('an approval in the history that no call has used is asked for again, before the first save', async () => {
  const order = [];
  const ledger = ledgerOf({
    save(checkpoint) {
      order.push('save');
      this.saved.push(checkpoint);
    },
  });
  const client = clientOf(() => (order.push('request'), END));
  const input = [
    { role: 'user', content: 'go' },
    ask('r0'),
    answer('r0', true),
    used('m0', 'r0'),
    ask('r1'),
    answer('r1', true),
    ask('r2'),
    answer('r2', false),
  ];
  const approveMcp = ({ id }) => (order.push(id), false);
  await run(client, { ledger, approveMcp }, { ...PARAMS, input });
  assert.deepEqual(order, ['r1', 'save', 'request', 'save']);
  const decided = structuredClone(input);
  decided[5].approve = false;
  assert.deepEqual(client.requests[0].body.input, decided);
  assert.deepEqual(ledger.saved[0].history, decided);
  assert.equal(input[5].approve, true);
});
