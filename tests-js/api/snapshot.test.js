/** The snapshots read what the core reads, and nothing else of a host value matters. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostFields } from '../../bindings-node/native/native.js';
import {
  detachedCopyOf,
  FOREIGN,
  functionOutputOf,
  knownFieldsOf,
  plainCopyOf,
  resultOf,
  scalarText,
  stateText,
} from '../../bindings-node/dist/snapshot.js';

/** Answers every field with an object of the same kind or a list of one, and notes its name. */
function recorder(names, depth = 6) {
  const lists = ['tabs', 'changes', 'elements', 'options', 'scopes', 'omitted'];
  return new Proxy(
    {},
    {
      ownKeys: () => [],
      get(_, name) {
        if (typeof name === 'symbol') return undefined;
        names.add(name);
        const next = depth > 0 ? recorder(names, depth - 1) : undefined;
        return lists.includes(name) ? [next] : next;
      },
    },
  );
}

/** Fields that rules read in params, declarations and responses only. */
const ELSEWHERE = [
  'acknowledged_safety_checks',
  'action',
  'actions',
  'allowed_callers',
  'allowed_tools',
  'always',
  'annotations',
  'approval_request_id',
  'approve',
  'arguments',
  'async',
  'attributes',
  'background',
  'button',
  'call_id',
  'caller',
  'caller_id',
  'code',
  'compact',
  'container',
  'container_id',
  'content',
  'context_management',
  'conversation',
  'description',
  'drop_call_ids',
  'encrypted_content',
  'end_index',
  'error',
  'extra_body',
  'include',
  'index',
  'input',
  'input_schema',
  'input_tokens',
  'keep_recent_screenshots',
  'keys',
  'logs',
  'max_input_bytes',
  'max_input_images',
  'message',
  'name',
  'namespace',
  'never',
  'output',
  'output_format',
  'output_tokens',
  'outputs',
  'path',
  'pattern',
  'pending_safety_checks',
  'phase',
  'previous_response_id',
  'quality',
  'queries',
  'query',
  'read_only',
  'refusal',
  'require_approval',
  'result',
  'results',
  'revised_prompt',
  'score',
  'scroll_x',
  'scroll_y',
  'server_label',
  'size',
  'sources',
  'start_index',
  'store',
  'stream',
  'summary',
  'tool_choice',
  'tool_names',
  'tools',
  'total_tokens',
  'truncation',
  'usage',
  'x',
  'y',
];

test('the readers of reports know every field that a rule reads in one', () => {
  const names = new Set(ELSEWHERE);
  stateText(recorder(names));
  resultOf(recorder(names));
  functionOutputOf([recorder(names)]);
  // A field that is new in the core must be read here or belong to the others.
  assert.deepEqual([...names].sort(), [...hostFields()].sort());
});

test('what is no JSON value crosses as a number that no rule takes', () => {
  for (const value of [() => 1, Symbol('s'), 1n, NaN, Infinity, 0.1, FOREIGN]) {
    assert.equal(resultOf(value).text, '0.5');
    assert.equal(scalarText(value), '0.5');
  }
  assert.equal(resultOf(undefined).text, 'null');
  assert.equal(resultOf(-0).text, '0');
  assert.equal(resultOf('\ud800').text, '"\\ud800"');
});

test('only the beginning of a long text crosses', () => {
  const long = 'x'.repeat(1_000_000);
  const image = resultOf({ type: 'input_image', image_url: long, file_id: 'short' });
  assert.deepEqual(JSON.parse(image.text), {
    type: 'input_image',
    image_url: 'x'.repeat(256),
    file_id: 'short',
  });
  assert.equal(image.snapshot.image_url, long);
  const output = functionOutputOf([{ type: 'input_text', text: long }]);
  assert.deepEqual(JSON.parse(output.text), [{ type: 'input_text', text: 'x'.repeat(256) }]);
  assert.equal(functionOutputOf(long).text.length, 258);
  // Not cut in the middle of a pair, and refused as a whole if it is not well formed at its end.
  const pairs = '\u{1f600}'.repeat(200);
  assert.ok(JSON.parse(functionOutputOf(`x${pairs}`).text).isWellFormed());
  assert.equal(functionOutputOf(`${long}\ud800`).text, '0.5');
});

test('fields that no rule reads cross as their names', () => {
  const data = { type: 'message', id: 'm1', private: { deep: 'secret' }, '\ud800': 1 };
  assert.deepEqual(JSON.parse(knownFieldsOf([data])), [
    { type: 'message', id: 'm1', private: 0, '': 0 },
  ]);
});

test('a copy has what JSON has of an object, each field read once', () => {
  let reads = 0;
  const data = JSON.parse('{"__proto__":{"own":1},"b":1,"2":"c"}');
  Object.assign(data, { gone: undefined, call() {}, mark: Symbol('s'), [Symbol('t')]: {} });
  Object.defineProperty(data, 'got', {
    enumerable: true,
    get: () => ((reads += 1), new Date(0)),
  });
  const copy = plainCopyOf(new Proxy(data, {}));
  assert.equal(JSON.stringify(copy), '{"2":"c","__proto__":{"own":1},"b":1,"got":{}}');
  assert.deepEqual(Reflect.ownKeys(copy), ['2', '__proto__', 'b', 'got']);
  assert.equal(Object.getPrototypeOf(copy), Object.prototype);
  assert.equal(reads, 1);
  const again = detachedCopyOf(copy);
  assert.deepEqual(again, copy);
  assert.notEqual(Object.entries(again)[1][1], Object.entries(copy)[1][1]);
});

test('a name that all objects were given is no field of a copy', (t) => {
  t.after(() => delete Object.prototype.everywhere);
  Object.defineProperty(Object.prototype, 'everywhere', {
    value: { shared: 1 },
    enumerable: true,
    configurable: true,
    writable: true,
  });
  for (const copy of [plainCopyOf({ a: {} }), detachedCopyOf({ a: {} })]) {
    assert.deepEqual(Object.keys(copy), ['a']);
    assert.deepEqual(Object.keys(copy.a), []);
  }
});

test('a large copy has each shared part once, and is refused if it cannot be written out', () => {
  const nested = (depth, wrap) => (depth === 0 ? 1 : wrap(nested(depth - 1, wrap)));
  const part = { a: 1 };
  const copy = plainCopyOf({ first: part, list: Array(300).fill(part) });
  assert.deepEqual(copy, { first: part, list: Array(300).fill(part) });
  assert.ok(copy.first !== part && copy.list[0] !== part && new Set(copy.list).size === 1);
  const cycle = {};
  cycle.self = [cycle];
  const sparse = [];
  sparse.length = 4_000_000_000;
  assert.doesNotThrow(() => plainCopyOf(nested(128, (value) => [value])));
  for (const value of [
    cycle,
    sparse,
    1n,
    { deep: [1n] },
    nested(129, (value) => [value]),
    nested(40, (value) => ({ left: value, right: value })),
  ]) {
    assert.throws(() => plainCopyOf(value));
  }
});
