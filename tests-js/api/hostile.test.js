/** Drivers and callers that hand over what nobody would expect. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BrowserError, BrowserToolset, ContractError } from 'swingbridge';
import { callOf, driverOf, IMAGE, payloadOf, settled, TAB, toolsetOf } from '../support.js';

const cycle = { version: 1, text: 't', omitted: [] };
cycle.elements = [cycle];

const sparse = [];
sparse.length = 4_000_000_000;

const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

const READS = {
  generator: (function* () {})(),
  cycle,
  function: () => 't',
  symbol: Symbol('t'),
  bigint: 1n,
  number: 1,
  NaN: NaN,
  boolean: true,
  'boxed text': new String('t'),
  bytes: new TextEncoder().encode('t'),
  'list of text': ['t'],
  'endless list': { version: 1, text: 't', elements: [], omitted: sparse },
  'list with a hole': { version: 1, text: 't', elements: [, ,], omitted: [] },
  'list with undefined': { version: 1, text: 't', elements: [], omitted: [undefined] },
  'map of elements': { version: 1, text: 't', elements: new Map(), omitted: [] },
  'throwing getter': {
    version: 1,
    get text() {
      throw new Error('secret');
    },
    elements: [],
    omitted: [],
  },
  'throwing proxy': new Proxy(
    {},
    {
      get: (_, name) => {
        if (name !== 'then') throw new Error('secret');
      },
    },
  ),
  'float version': { version: 1.5, text: 't', elements: [], omitted: [] },
  'boxed text inside': { version: 1, text: new String('t'), elements: [], omitted: [] },
};

for (const [name, report] of Object.entries(READS)) {
  test(`a read that is a ${name} stops the call`, async () => {
    const toolset = toolsetOf({ read_page: () => report });
    await assert.rejects(toolset.execute(callOf('read_page')), (error) => {
      assert.ok(error instanceof ContractError && !(error instanceof TypeError));
      assert.equal(error.code, 'read_invalid');
      assert.ok(!error.message.includes('secret') && error.cause === undefined);
      return true;
    });
    assert.deepEqual(toolset.close(), { status: 'closed' });
  });
}

test('a revoked proxy fails like a driver that throws', async () => {
  const output = await toolsetOf({ read_page: revoked }).execute(callOf('read_page'));
  assert.equal(payloadOf(output).ok, false);
});

test('a list that is shared many times over is refused in bounded time', async () => {
  const options = Array.from({ length: 4000 }, () => ({ label: 'l', value: 'v' }));
  const element = { ref: 'r', role: 'combobox', label: 'l', options };
  const elements = Array.from({ length: 4000 }, () => element);
  const toolset = toolsetOf({ read_page: () => ({ version: 1, text: '', elements, omitted: [] }) });
  await assert.rejects(toolset.execute(callOf('read_page')), { code: 'read_invalid' });
});

test('each field of a report is read exactly once, and no field that no rule knows', async () => {
  const reads = [];
  const spy = (value, path) =>
    new Proxy(value, {
      get(target, name) {
        if (typeof name === 'symbol' || name === 'length') return target[name];
        reads.push(`${path}.${name}`);
        const field = target[name];
        return typeof field === 'object' && field !== null ? spy(field, `${path}.${name}`) : field;
      },
    });
  const report = {
    version: 1,
    text: 't',
    elements: [{ ref: 'e1', role: 'button', label: 'Go', secret: 1 }],
    omitted: ['private'],
    secret: { deep: true },
  };
  const toolset = toolsetOf({
    state: () => spy({ tabs: [{ ...TAB, cookies: 'c' }], storage: {} }, 'state'),
    read_page: () => spy(report, 'read'),
  });
  const output = await toolset.execute(callOf('read_page'));
  assert.equal(payloadOf(output).ok, true);
  const ofRead = reads.filter((read) => read.startsWith('read.'));
  assert.equal(new Set(ofRead).size, ofRead.length);
  assert.ok(ofRead.includes('read.elements.0.label'));
  assert.ok(!reads.some((read) => /secret|cookies|storage/.test(read)));
});

test('fields of classes, getters and prototypes count', async () => {
  class Tab {
    get id() {
      return 't1';
    }
    get title() {
      return 'T';
    }
    get url() {
      return 'about:blank';
    }
    active = true;
  }
  class Read {
    version = 1;
    get text() {
      return 'read';
    }
  }
  const read = Object.setPrototypeOf({ elements: [] }, Object.assign(new Read(), { omitted: [] }));
  const toolset = toolsetOf({ state: () => ({ tabs: [new Tab()] }), read_page: () => read });
  const payload = payloadOf(await toolset.execute(callOf('read_page')));
  assert.deepEqual(payload.state.tabs, [
    { id: 't1', title: 'T', url: 'about:blank', active: true },
  ]);
  assert.deepEqual(payload.result, { version: 1, text: 'read', elements: [], omitted: [] });
});

test('undefined fields are absent, null fields are not', async () => {
  const element = { ref: 'e', role: 'button', label: 'l', value: undefined, options: undefined };
  const report = { version: 1, text: 't', elements: [element], omitted: [] };
  const toolset = toolsetOf({
    state: () => ({ tabs: [], observation: undefined }),
    read_page: () => report,
  });
  const payload = payloadOf(await toolset.execute(callOf('read_page')));
  assert.deepEqual(payload.result.elements, [{ ref: 'e', role: 'button', label: 'l' }]);
  element.value = null;
  await assert.rejects(toolset.execute(callOf('read_page')), { code: 'read_invalid' });
});

test('an image with any further own field is refused, even an undefined one', async () => {
  let image = { ...IMAGE, detail: undefined };
  const toolset = toolsetOf({ screenshot: () => image });
  assert.deepEqual((await toolset.execute(callOf('screenshot'))).output[1], IMAGE);
  for (const extra of [
    { zzz: 1 },
    { zzz: undefined },
    { zzz() {} },
    JSON.parse('{"__proto__":1}'),
  ]) {
    image = Object.defineProperties({ ...IMAGE }, Object.getOwnPropertyDescriptors(extra));
    await assert.rejects(toolset.execute(callOf('screenshot')), { code: 'image_invalid' });
  }
});

test('results are snapshots: what the driver changes later changes nothing', async () => {
  const image = { ...IMAGE, detail: 'low', prompt_cache_breakpoint: { mode: 'explicit' } };
  const given = structuredClone(image);
  let states = 0;
  const toolset = toolsetOf({
    state: () => {
      if ((states += 1) > 1) {
        image.image_url = 'changed';
        image.prompt_cache_breakpoint.mode = 'changed';
      }
      return { tabs: [] };
    },
    screenshot: () => image,
  });
  const output = await toolset.execute(callOf('screenshot'));
  image.detail = 'changed';
  assert.deepEqual(output.output[1], given);
});

test('a large image comes back as the very text', async () => {
  const image_url = `data:image/png;base64,${'A'.repeat(1 << 20)}`;
  const toolset = toolsetOf({ screenshot: () => ({ type: 'input_image', image_url }) });
  const output = await toolset.execute(callOf('screenshot'));
  assert.equal(output.output[1].image_url, image_url);
});

test('unpaired surrogates of titles and results pass unchanged', async () => {
  const toolset = toolsetOf({
    state: () => ({ tabs: [{ ...TAB, title: 'a\ud800b' }] }),
    click: () => '\udfff',
  });
  const payload = payloadOf(await toolset.execute(callOf('click')));
  assert.equal(payload.state.tabs[0].title, 'a\ud800b');
  assert.equal(payload.result, '\udfff');
});

for (const thrown of [undefined, null, 0, 'words', Symbol('s'), { message: 'secret' }, revoked()]) {
  test(`a driver that throws ${typeof thrown} is a failed action`, async () => {
    const toolset = toolsetOf({
      click: () => {
        throw thrown;
      },
    });
    const payload = payloadOf(await toolset.execute(callOf('click')));
    assert.equal(payload.ok, false);
    assert.ok(typeof payload.error === 'string' && !/secret|words/.test(payload.error));
  });
}

test("only a BrowserError's own message reaches the model", async () => {
  class Told extends BrowserError {}
  const hostile = new BrowserError('x');
  Object.defineProperty(hostile, 'message', {
    get: () => {
      throw new Error('secret');
    },
  });
  for (const [error, words] of [
    [new BrowserError('the basket is full'), /^the basket is full$/],
    [new Told('told'), /^told$/],
    [new BrowserError('half \ud800'), /^half \ud800$/],
    [new Error('secret'), /^(?!.*secret)/],
    [Object.assign(new Error('secret'), { name: 'BrowserError' }), /^(?!.*secret)/],
    [hostile, /^(?!.*secret)/],
  ]) {
    const payload = payloadOf(
      await toolsetOf({
        click: async () => {
          throw error;
        },
      }).execute(callOf('click')),
    );
    assert.match(payload.error, words);
  }
});

test('only exactly true approves', async () => {
  const { proxy } = Proxy.revocable(() => true, {});
  for (const answer of [
    1,
    'true',
    {},
    [],
    new Boolean(true),
    undefined,
    null,
    proxy,
    Promise.resolve(1),
  ]) {
    const toolset = toolsetOf({ click: () => assert.fail() }, { confirm: () => answer });
    assert.equal(payloadOf(await toolset.execute(callOf('click'))).ok, false);
  }
});

test('a thenable is awaited, a hostile one is a failure', async () => {
  const thenable = (settle) => ({ then: settle });
  const toolset = toolsetOf({ click: () => result });
  let result = thenable((resolve) => resolve('done'));
  assert.equal(payloadOf(await toolset.execute(callOf('click'))).result, 'done');
  for (result of [
    thenable((_, reject) => reject(new Error('no'))),
    thenable(() => {
      throw new Error('no');
    }),
    {
      get then() {
        throw new Error('no');
      },
    },
  ]) {
    assert.equal(payloadOf(await toolset.execute(callOf('click'))).ok, false);
  }
});

test('bad states stop the call with their own code', async () => {
  for (const [state, code] of [
    [
      () => {
        throw new Error('secret');
      },
      'state_failed',
    ],
    [
      async () => {
        throw new BrowserError('secret');
      },
      'state_failed',
    ],
    [() => undefined, 'state_invalid'],
    [() => [], 'state_invalid'],
    [() => ({ tabs: (function* () {})() }), 'state_invalid'],
    [
      () => ({
        get tabs() {
          throw new Error('secret');
        },
      }),
      'state_invalid',
    ],
    [() => ({ tabs: [{ ...TAB, active: 1 }] }), 'state_invalid'],
    [undefined, 'state_failed'],
  ]) {
    const toolset = toolsetOf({ state, click() {} });
    await assert.rejects(toolset.execute(callOf('click')), (error) => {
      assert.ok(error instanceof ContractError);
      assert.equal(error.code, code);
      assert.ok(!error.message.includes('secret'));
      return true;
    });
  }
});

test('calls that are no completed call of an enabled member are refused untouched', async () => {
  const toolset = toolsetOf({ state: () => assert.fail(), click: () => assert.fail() });
  for (const call of [
    undefined,
    null,
    7,
    {},
    callOf('hover'),
    callOf('click', { type: 'other' }),
    callOf('click', { status: 'in_progress' }),
    callOf('click', { status: 1 }),
    callOf('click', { call_id: 5 }),
    callOf('click', { call_id: '\ud800' }),
    callOf('click', { arguments: '{"target":"\ud800","tab_id":null}' }),
    {
      get type() {
        throw new Error('hostile');
      },
    },
    new Proxy(
      {},
      {
        get: () => {
          throw new Error('hostile');
        },
      },
    ),
  ]) {
    await assert.rejects(toolset.execute(call), (error) => {
      assert.ok(error instanceof ContractError);
      assert.match(error.code, /^call_(unavailable|malformed)$/);
      return true;
    });
  }
});

test('arguments of ten megabytes, ten thousand levels, NaN and repeated names', async () => {
  const seen = [];
  const toolset = toolsetOf({ click: (args) => void seen.push(args) });
  const run = async (text) =>
    payloadOf(await toolset.execute(callOf('click', { arguments: text })));
  const long = 'x'.repeat(10_000_000);
  assert.equal((await run(`{"target":"${long}","tab_id":null}`)).ok, true);
  assert.equal(seen[0].target.length, long.length);
  const deep = '['.repeat(10_000) + ']'.repeat(10_000);
  for (const text of [
    `{"target":${deep},"tab_id":null}`,
    `{"target":"a","tab_id":null,"x":${deep}}`,
  ]) {
    assert.equal((await run(text)).ok, false);
  }
  assert.equal((await run('{"target":NaN,"tab_id":null}')).ok, false);
  assert.equal((await run('{"target":"a","target":"b","tab_id":null}')).ok, true);
  assert.equal(seen[1].target, 'b');
  assert.equal(seen.length, 2);
});

test('what callbacks do to their context changes nothing', async () => {
  const toolset = new BrowserToolset(driverOf({ navigate: (args) => `${JSON.stringify(args)}` }), {
    urlPolicy: (context) => {
      context.arguments.url = 'https://changed.test/';
      context.state.tabs.length = 0;
      return true;
    },
    confirm: (context) => {
      assert.equal(context.arguments.url, 'https://example.com/');
      assert.equal(context.state.tabs.length, 1);
      delete context.arguments.url;
      context.call_id = 'changed';
      return true;
    },
  });
  const output = await toolset.execute(callOf('navigate'));
  assert.equal(output.call_id, 'call_1');
  assert.equal(payloadOf(output).result, '{"url":"https://example.com/","tab_id":null}');
});

test('none of this leaves an unhandled rejection', async () => {
  const seen = [];
  const note = (reason) => seen.push(reason);
  process.on('unhandledRejection', note);
  const toolset = toolsetOf(
    { click: () => Promise.reject(new Error('no')) },
    {
      onDiagnostic: async () => {
        throw new Error('observer');
      },
    },
  );
  await toolset.execute(callOf('click'));
  await settled();
  process.off('unhandledRejection', note);
  assert.deepEqual(seen, []);
});
