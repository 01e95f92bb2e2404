/** The computer-only loop (C-7, C-9). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ComputerUseError, ConfigurationError } from 'swingbridge';
import { clientOf, functionCall, message, responseOf } from '../runner/double.js';
import {
  callNumber,
  CHECK,
  CLICK,
  MOVE,
  PICTURE,
  savedOutput,
  Screen,
  thrownBy,
} from './screen.js';

const USER = { role: 'user', content: 'go' };
const inputs = (client) => client.requests.map(({ body }) => body.input);

test('the whole history is replayed, unknown fields included', async () => {
  const screen = new Screen();
  const { pending_safety_checks: _none, ...first } = callNumber(1, [{ ...CLICK, further: [1] }], {
    new: { deep: true },
  });
  const second = callNumber(2, [MOVE], { pending_safety_checks: [{ ...CHECK, more: 1 }] });
  const reasoning = {
    type: 'reasoning',
    id: 'rs_1',
    summary: [],
    encrypted_content: 'secret '.repeat(200),
    new: 1,
  };
  const last = responseOf([message()]);
  const client = clientOf(responseOf([reasoning, first]), responseOf([second]), last);
  assert.equal(await screen.run(client, { ...screen.approve(), ...screen.review() }), last);
  const afterOne = [USER, reasoning, first, savedOutput()];
  assert.deepEqual(inputs(client), [
    [USER],
    afterOne,
    [...afterOne, second, savedOutput(2, [CHECK])],
  ]);
  for (const { body } of client.requests) {
    assert.deepEqual(Object.keys(body).sort(), ['include', 'input', 'model', 'tools']);
    assert.deepEqual(body.tools, [{ type: 'computer' }]);
    assert.deepEqual(body.include, ['reasoning.encrypted_content']);
  }
  assert.deepEqual(screen.log, [
    'before click',
    'click',
    'before screenshot',
    'screenshot',
    'approve',
    'before move',
    'move',
    'before screenshot',
    'screenshot',
  ]);
});

test('what a driver or a callback edits is not what is replayed', async () => {
  const item = callNumber(1, [CLICK], { pending_safety_checks: [CHECK] });
  const deface = (given) => {
    given.type = 'defaced';
    if (given.actions) given.actions.length = 0;
  };
  const screen = new Screen({ click: deface });
  const client = clientOf(responseOf([item]), responseOf([message()]));
  await screen.run(client, {
    approveSafetyChecks: (given) => (deface(given), true),
    beforeAction: (action, given) => (deface(action), deface(given), true),
  });
  assert.deepEqual(inputs(client)[1], [
    USER,
    callNumber(1, [CLICK], { pending_safety_checks: [CHECK] }),
    savedOutput(1, [CHECK]),
  ]);
});

test('a response that changes later is the response that it was', async () => {
  const response = responseOf([callNumber(1, [CLICK, MOVE])]);
  const screen = new Screen({
    click() {
      response.output[0].actions[1].x = 99;
      response.output.length = 0;
    },
  });
  const client = clientOf(response, responseOf([message()]));
  await screen.run(client);
  assert.deepEqual(screen.given, [MOVE]);
  assert.deepEqual(inputs(client)[1], [USER, callNumber(1, [CLICK, MOVE]), savedOutput()]);
});

test('params are copied and a declared computer is kept', async () => {
  const screen = new Screen();
  const tool = { type: 'computer_use_preview', display_width: 8, display_height: 6 };
  const params = {
    input: [USER],
    tools: [tool],
    include: ['a', 'reasoning.encrypted_content', 'a'],
    metadata: { deep: ['x'] },
  };
  const before = structuredClone(params);
  const client = clientOf(
    () => {
      params.metadata.deep.push('defaced');
      return responseOf([callNumber(1)]);
    },
    responseOf([message()]),
  );
  await screen.run(client, {}, params);
  params.metadata.deep.pop();
  assert.deepEqual(params, before);
  const { body } = client.requests[1];
  assert.deepEqual(
    [body.tools, body.include, body.metadata],
    [[tool], params.include.slice(0, 2), { deep: ['x'] }],
  );
});

for (const choice of ['required', { type: 'computer' }, { type: 'computer_use_preview' }]) {
  test(`a forced choice is for the first request: ${JSON.stringify(choice)}`, async () => {
    const screen = new Screen();
    const script = [callNumber(1), callNumber(2), message()];
    const client = clientOf(...script.map((item) => responseOf([item])));
    await screen.run(client, {}, { tool_choice: choice });
    assert.deepEqual(
      client.requests.map(({ body }) => body.tool_choice),
      [choice, 'auto', 'auto'],
    );
  });
}

test('compaction is replayed as it came', async () => {
  const screen = new Screen();
  const compaction = { type: 'compaction', id: 'cmp_1', encrypted_content: 'secret', new: 1 };
  const context_management = [{ type: 'compaction', compact_threshold: 1000 }];
  const client = clientOf(responseOf([compaction, callNumber(1)]), responseOf([message()]));
  await screen.run(client, {}, { context_management });
  assert.deepEqual(inputs(client)[1], [USER, compaction, callNumber(1), savedOutput()]);
  assert.deepEqual(client.requests[1].body.context_management, context_management);
});

test('requests are not reported, and the history grows by items alone', async () => {
  const screen = new Screen();
  const records = [];
  const client = clientOf(responseOf([callNumber(1)]), responseOf([message()]));
  await screen.run(client, { onDiagnostic: ({ api, member }) => records.push(`${api} ${member}`) });
  assert.deepEqual(records, ['computer click', 'computer screenshot']);
});

test('twenty requests if the caller does not say', async () => {
  const screen = new Screen();
  const script = Array.from({ length: 30 }, (_, number) => responseOf([callNumber(number)]));
  const client = clientOf(...script);
  const { error } = await thrownBy(() => screen.run(client));
  assert.equal(error.code, 'step_limit');
  assert.equal(client.requests.length, 20);
  assert.equal(screen.log.filter((entry) => entry === 'click').length, 19);
});

for (const [code, script, log = []] of [
  ['no_final_message', [responseOf([])]],
  ['response_incomplete', [responseOf([callNumber(1)], { status: 'incomplete' })]],
  ['computer_call_invalid', [responseOf([callNumber(1, [{ type: 'fly' }])])]],
  ['response_unsupported', [responseOf([functionCall('f', {}, 'call_9')])]],
  ['response_unsupported', [responseOf([{ type: 'teleport', id: 't' }])]],
  ['response_malformed', [responseOf([null])]],
  ['response_incomplete', [null]],
  [
    'safety_not_approved',
    [responseOf([callNumber(1, [CLICK], { pending_safety_checks: [CHECK] })])],
  ],
  [
    'identity_repeated',
    [responseOf([callNumber(1)]), responseOf([callNumber(1)])],
    ['click', 'screenshot'],
  ],
  ['identity_repeated', [responseOf([callNumber(1), callNumber(2, [CLICK], { id: 'cu_1' })])]],
]) {
  test(`a run that stops has the last response: ${code}`, async () => {
    const screen = new Screen();
    const { error } = await thrownBy(() => screen.run(clientOf(...script)));
    assert.ok(error instanceof ComputerUseError, String(error));
    assert.equal(error.code, code);
    assert.equal(error.response, script.at(-1));
    assert.deepEqual(screen.log, log);
  });
}

test('the last allowed request starts nothing', async () => {
  const screen = new Screen();
  const last = responseOf([callNumber(1)]);
  const { error } = await thrownBy(() => screen.run(clientOf(last), { maxSteps: 1 }));
  assert.deepEqual([error.code, error.response === last, screen.log], ['step_limit', true, []]);
});

for (const [params, options] of [
  [{ stream: true }],
  [{ background: true }],
  [{ conversation: 'c' }],
  [{ previous_response_id: 'r' }],
  [{ input: undefined }],
  [{ input: 1 }],
  [{ tools: [{ type: 'computer' }, { type: 'computer' }] }],
  [{ tools: [{ type: 'web_search' }] }],
  [{ tools: [{ type: 'function', name: 'f' }] }],
  [{ tool_choice: { type: 'function', name: 'f' } }],
  [{}, { maxSteps: 0 }],
  [{}, { maxSteps: true }],
  [{}, { maxSteps: 1.5 }],
  [{}, { maxSteps: '3' }],
  [{}, { maxSteps: null }],
  [{}, { requestOptions: { body: {} } }],
  [{}, { beforeAction: true }],
]) {
  test(`wrong use is told before the first request: ${JSON.stringify([params, options])}`, async () => {
    const screen = new Screen();
    const client = clientOf(responseOf([message()]));
    await assert.rejects(screen.run(client, options, params), (error) => {
      assert.ok(error instanceof ConfigurationError && error instanceof TypeError, String(error));
      return true;
    });
    assert.equal(client.requests.length, 0);
    await screen.run(client);
  });
}

test('a client without responses.create is refused', async () => {
  const screen = new Screen();
  for (const client of [null, undefined, {}, { responses: {} }]) {
    await assert.rejects(screen.run(client), ConfigurationError);
  }
});

for (const place of ['client', 'click', 'before', 'screenshot']) {
  test(`what is thrown in ${place} comes out as it is`, async () => {
    const error = new RangeError('broken');
    const fail = () => {
      throw error;
    };
    const screen = new Screen(place in { click: 1, screenshot: 1 } ? { [place]: fail } : {});
    const script =
      place === 'client' ? [responseOf([callNumber(1)]), fail] : [responseOf([callNumber(1)])];
    const options = place === 'before' ? { beforeAction: fail } : {};
    assert.equal((await thrownBy(() => screen.run(clientOf(...script), options))).error, error);
  });
}

test('request options reach every request unchanged', async () => {
  const screen = new Screen();
  const requestOptions = { timeout: 1, headers: { a: 'b' } };
  const client = clientOf(responseOf([callNumber(1)]), responseOf([message()]));
  await screen.run(client, { requestOptions });
  assert.ok(client.requests.every(({ options }) => options === requestOptions));
});

test('pictures stay the very texts that the driver gave', async () => {
  const texts = Array.from(
    { length: 3 },
    (_, n) => `data:image/png;base64,${String(n).repeat(200_000)}`,
  );
  const screen = new Screen({
    screenshot: () => ({ ...PICTURE, image_url: texts.at(screen.given.length - 1) }),
  });
  const bodies = [];
  const script = [1, 2, 3].map((number) => responseOf([callNumber(number)]));
  const client = {
    responses: {
      create: (body) => {
        bodies.push(body);
        return script.shift() ?? responseOf([message()]);
      },
    },
  };
  await screen.run(client);
  const shown = bodies.at(-1).input.filter(({ type }) => type === 'computer_call_output');
  assert.deepEqual(
    shown.map(({ output: picture }) => picture.image_url),
    texts,
  );
});
