/** A run: requests and local work until there is an answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BrowserError, ResponsesToolRunner } from 'swingbridge';
import { IMAGE, TAB, toolsetOf } from '../support.js';
import { clientOf, functionCall, lookup, message, responseOf } from './double.js';

const PARAMS = { model: 'm', input: 'Book a table.' };
const USER = { role: 'user', content: 'Book a table.' };
const CLICK = (callId) => functionCall('browser_click', { target: 'e1', tab_id: null }, callId);
const STATE = { tabs: [{ ...TAB, url: 'https://example.com' }] };

test("the client's own final response comes back", async () => {
  const final = responseOf([message()]);
  const client = clientOf(final);
  assert.equal(await new ResponsesToolRunner({}).run(client, PARAMS), final);
  assert.deepEqual(client.requests, [
    {
      body: { model: 'm', input: [USER], include: ['reasoning.encrypted_content'], tools: [] },
      options: undefined,
      given: 2,
    },
  ]);
});

test('calls run in output order and everything is replayed', async () => {
  const order = [];
  const browser = toolsetOf({ click: () => void order.push('click'), screenshot: () => IMAGE });
  const functions = [
    lookup((...args) => {
      order.push(args);
      return 'found';
    }),
  ];
  const items = [
    {
      id: 'rs_1',
      type: 'reasoning',
      summary: [],
      encrypted_content: 'opaque',
      extra: { kept: [1.5] },
    },
    functionCall('lookup', { q: 1 }, 'call_1', { created_by: 'service' }),
    CLICK('call_2'),
    functionCall('browser_screenshot', { tab_id: null }, 'call_3'),
  ];
  const client = clientOf(responseOf(items), responseOf([message()]));
  await new ResponsesToolRunner({ browser, functions }).run(client, PARAMS);

  assert.deepEqual(order, [[{ q: 1 }, { signal: undefined }], 'click']);
  const [first, second] = client.requests.map(({ body }) => body);
  const text = (payload) => ({ type: 'input_text', text: JSON.stringify(payload) });
  const { created_by: _, ...call } = items[1];
  assert.deepEqual(second.input, [
    USER,
    items[0],
    call,
    items[2],
    items[3],
    { type: 'function_call_output', call_id: 'call_1', output: 'found' },
    {
      type: 'function_call_output',
      call_id: 'call_2',
      output: [text({ ok: true, state: STATE, result: null })],
    },
    {
      type: 'function_call_output',
      call_id: 'call_3',
      output: [text({ ok: true, state: STATE }), IMAGE],
    },
  ]);
  assert.deepEqual(first.tools, [...browser.tools(), functions[0].tool]);
  assert.deepEqual(second.tools, first.tools);
});

test('tools of the service come after ours, includes are kept once', async () => {
  const client = clientOf(responseOf([message()]));
  const tools = [{ type: 'web_search' }];
  const include = ['web_search_call.action.sources', 'reasoning.encrypted_content'];
  await new ResponsesToolRunner({ functions: [lookup()] }).run(client, {
    ...PARAMS,
    tools,
    include,
    tool_choice: 'auto',
  });
  const [{ body }] = client.requests;
  assert.deepEqual(body.tools, [lookup().tool, ...tools]);
  assert.deepEqual(body.include, include);
  assert.equal(body.tool_choice, 'auto');
});

test('images of several turns stay with their calls', async () => {
  const images = ['A', 'B', 'C'].map((name) => ({
    ...IMAGE,
    image_url: `data:,${name.repeat(1000)}`,
  }));
  const left = [...images];
  const browser = toolsetOf({ screenshot: () => left.shift(), click() {} });
  const shot = (id) => functionCall('browser_screenshot', { tab_id: null }, id);
  const client = clientOf(
    responseOf([CLICK('c1'), shot('c2'), shot('c3')]),
    responseOf([CLICK('c4'), shot('c5')]),
    responseOf([message()]),
  );
  await new ResponsesToolRunner({ browser }).run(client, PARAMS);
  const shown = client.requests[2].body.input
    .filter(({ output }) => output?.length === 2)
    .map(({ call_id, output }) => [call_id, output[1]]);
  assert.deepEqual(shown, [
    ['c2', images[0]],
    ['c3', images[1]],
    ['c5', images[2]],
  ]);
});

test('a failed browser call skips the later ones of its response, not the functions', async () => {
  let clicks = 0;
  const browser = toolsetOf({
    click: () => {
      clicks += 1;
      throw new BrowserError('covered by a dialog');
    },
  });
  const client = clientOf(
    responseOf([CLICK('c1'), CLICK('c2'), functionCall('lookup', {}, 'c3')]),
    responseOf([message()]),
  );
  await new ResponsesToolRunner({ browser, functions: [lookup()] }).run(client, PARAMS);
  assert.equal(clicks, 1);
  const outputs = client.requests[1].body.input.filter(
    ({ type }) => type === 'function_call_output',
  );
  const errors = outputs.slice(0, 2).map(({ output }) => JSON.parse(output[0].text).error);
  assert.equal(errors[0], 'covered by a dialog');
  assert.match(errors[1], /earlier/);
  assert.equal(outputs[2].output, 'found');
});

test('params and history are copies, also of what toJSON and Date make of them', async () => {
  const params = {
    ...PARAMS,
    input: [{ role: 'user', content: 'x', at: new Date(0), gone: undefined }],
    metadata: { toJSON: () => ({ a: '1' }) },
  };
  const items = [functionCall('lookup', {}, 'c1')];
  const client = clientOf(
    (body) => {
      params.input.push('later');
      body.tools.length = 0;
      body.input.push('changed');
      return responseOf(items);
    },
    responseOf([message()]),
  );
  const execute = () => {
    items[0].arguments = 'changed';
    return 'found';
  };
  await new ResponsesToolRunner({ functions: [lookup(execute)] }).run(client, params);
  const [first, second] = client.requests.map(({ body }) => body);
  const item = { role: 'user', content: 'x', at: '1970-01-01T00:00:00.000Z' };
  assert.deepEqual(first.input, [item]);
  assert.deepEqual(first.metadata, { a: '1' });
  assert.deepEqual(second.input[0], item);
  assert.equal(second.input[1].arguments, '{}');
  assert.equal(second.tools.length, 1);
});

test('functions may return blocks, which are copied', async () => {
  const block = { type: 'input_image', image_url: `data:,${'A'.repeat(1000)}`, detail: undefined };
  const execute = async () => [{ type: 'input_text', text: 'seen' }, block];
  const client = clientOf(responseOf([functionCall('lookup', {}, 'c1')]), () => {
    block.image_url = 'changed';
    return responseOf([message()]);
  });
  const runner = new ResponsesToolRunner({ functions: [lookup(execute)] });
  await runner.run(client, PARAMS);
  assert.deepEqual(client.requests[1].body.input.at(-1).output, [
    { type: 'input_text', text: 'seen' },
    { type: 'input_image', image_url: `data:,${'A'.repeat(1000)}` },
  ]);
});

test('a function is called on its registration', async () => {
  const registered = { ...lookup(), answer: 'mine' };
  registered.execute = function () {
    return this.answer;
  };
  const client = clientOf(responseOf([functionCall('lookup', {}, 'c1')]), responseOf([message()]));
  await new ResponsesToolRunner({ functions: [registered] }).run(client, PARAMS);
  assert.equal(client.requests[1].body.input.at(-1).output, 'mine');
});

test('a synchronous client and a thenable response do as well', async () => {
  const final = responseOf([message()]);
  assert.equal(
    await new ResponsesToolRunner({}).run({ responses: { create: () => final } }, PARAMS),
    final,
  );
  const thenable = { then: (resolve) => resolve(final) };
  assert.equal(
    await new ResponsesToolRunner({}).run({ responses: { create: () => thenable } }, PARAMS),
    final,
  );
});

test('request options pass through, the signal is added without changing them', async () => {
  const requestOptions = Object.freeze({ timeout: 5, signal: new AbortController().signal });
  const { signal } = new AbortController();
  const run = async (options) => {
    const client = clientOf(responseOf([message()]));
    await new ResponsesToolRunner({}).run(client, PARAMS, options);
    return client.requests[0].options;
  };
  assert.equal(await run({ requestOptions }), requestOptions);
  assert.deepEqual(await run({ signal }), { signal });
  const merged = await run({ requestOptions, signal });
  assert.deepEqual(Object.keys(merged).sort(), ['signal', 'timeout']);
  assert.equal(merged.signal, signal);
  assert.equal(await run({ requestOptions: null, signal: null }), undefined);
});

test('requests report their usage, browser calls what they did', async () => {
  const records = [];
  const browser = toolsetOf({ click() {} }, { onDiagnostic: () => assert.fail() });
  const client = clientOf(responseOf([CLICK('c1')]), responseOf([message()], { usage: null }));
  await new ResponsesToolRunner({ browser }).run(client, PARAMS, {
    onDiagnostic: (record) => records.push(record),
  });
  assert.deepEqual(
    records.map(({ api, stage, reason, usage }) => [api, stage, reason, usage]),
    [
      ['responses', 'request', 'completed', { input_tokens: 3, output_tokens: 2, total_tokens: 5 }],
      ['browser', 'approval', 'completed', null],
      ['browser', 'action', 'completed', null],
      ['responses', 'request', 'completed', null],
    ],
  );
});

test("without an observer of the run the toolset's own sees the browser calls", async () => {
  const records = [];
  const onDiagnostic = (record) => records.push(`${record.api} ${record.stage}`);
  const browser = toolsetOf({ click() {} }, { onDiagnostic });
  const client = clientOf(responseOf([CLICK('c1')]), responseOf([message()]));
  await new ResponsesToolRunner({ browser }).run(client, PARAMS);
  assert.deepEqual(records, ['browser approval', 'browser action']);
});
