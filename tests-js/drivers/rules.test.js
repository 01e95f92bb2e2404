/** The rules of a driver that need no browser; the cases are those of the Python tests. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { BrowserError } from 'swingbridge';

const modules = new URL('../../bindings-node/dist/drivers/', import.meta.url);
const load = (name) => import(new URL(`${name}.js`, modules));
const { keyPresses } = await load('keys');
const { ObservationLog, dialogKind } = await load('observation');
const { parseAnswer, readReport } = await load('reports');
const { TabTable } = await load('tabs');
const { Steps } = await load('steps');

const KEYS = [
  [['Return'], ['Enter']],
  [['Esc'], ['Escape']],
  [['PgDn'], ['PageDown']],
  [['Page_Up'], ['PageUp']],
  [['f12'], ['F12']],
  [['a'], ['a']],
  [['A'], ['A']],
  [[' '], ['Space']],
  [['+'], ['+']],
  [['Control', 'A'], ['Control+KeyA']],
  [['Ctrl+a'], ['Control+KeyA']],
  [['CTRL', 'SHIFT', 't'], ['Control+Shift+KeyT']],
  [['Shift', '1'], ['Shift+Digit1']],
  [['Shift+/'], ['Shift+Slash']],
  [['Cmd', 'Option', 'Space'], ['Meta+Alt+Space']],
  [['Win+d'], ['Meta+KeyD']],
  [['Control++'], ['Control++']],
  [['Control', 'Control', 'x'], ['Control+KeyX']],
  [
    ['Control', 'k', 'Control', 'c'],
    ['Control+KeyK', 'Control+KeyC'],
  ],
  [
    ['Tab', 'Enter'],
    ['Tab', 'Enter'],
  ],
  [['Shift'], ['Shift']],
  [['Control', 'Shift'], ['Control+Shift']],
];

for (const [given, presses] of KEYS) {
  test(`keys ${JSON.stringify(given)}`, () => assert.deepEqual(keyPresses(given), presses));
}

test('other keys are refused, in words for the model', () => {
  const refusal = (words) => (error) => {
    assert.ok(error instanceof BrowserError, String(error));
    assert.match(error.message, words);
    return true;
  };
  for (const keys of [['Hyper'], [''], ['ab'], ['Control+Nope'], ['\0']]) {
    assert.throws(() => keyPresses(keys), refusal(/F1 to F24.*Control, Alt.*Enter, Escape/s));
  }
  for (const keys of [['F13'], ['Control', 'é'], ['é']]) {
    assert.throws(() => keyPresses(keys), refusal(/as text|for text/));
  }
  const letters = Array.from({ length: 17 }, (_, index) => String.fromCharCode(97 + index));
  assert.equal(keyPresses(letters.slice(0, 16)).length, 16);
  for (const keys of [[], letters]) assert.throws(() => keyPresses(keys), BrowserError);
  // What was written is not repeated: it may be anything.
  assert.throws(() => keyPresses(['Enter', 'x\n'.repeat(500)]), refusal(/^[^x]*key 2 /));
});

test('observations are numbered and detached', () => {
  const log = new ObservationLog(2);
  log.record({ type: 'tab_opened', tab_id: 't' });
  log.record({ type: 'dialog_dismissed', tab_id: 't', kind: dialogKind('custom') });
  log.record({ type: 'download', tab_id: null, status: 'blocked' });
  const report = log.report(true);
  assert.deepEqual(report, {
    version: 1,
    sequence: 3,
    dropped_changes: 1,
    title_truncated: true,
    changes: [
      { sequence: 2, type: 'dialog_dismissed', tab_id: 't', kind: 'other' },
      { sequence: 3, type: 'download', tab_id: null, status: 'blocked' },
    ],
  });
  report.changes[0].kind = 'alert';
  assert.equal(log.report(true).changes[0].kind, 'other');
});

test('the tab table remembers who was active', () => {
  const table = new TabTable();
  const [one, two, three] = ['a', 'b', 'c'].map((page) => table.add(page));
  assert.equal(table.active, one);
  table.activate(three);
  assert.equal(table.activate(three), false);
  assert.equal(table.remove(three), one);
  assert.equal(table.remove(two), undefined);
  assert.equal(table.add('d').id, 'tab-4');
  assert.equal(table.named(null), one);
});

const report = (changes) => ({ version: 1, text: 't', elements: [], omitted: [], ...changes });
const element = (changes) => ({ ref: 'g1-e1', role: 'button', label: 'Go', ...changes });

test('good reports keep known fields only', () => {
  const options = [{ label: 'A', value: '', selected: true }];
  const listbox = element({ role: 'listbox', value: 'v', options, checked: false });
  const source = report({
    elements: [{ ...listbox, options: [{ ...options[0], more: 1 }], more: 1 }],
    omitted: ['private', 'made_up', 'private'],
    more: 1,
  });
  assert.deepEqual(readReport(source), report({ elements: [listbox], omitted: ['private'] }));
});

const BAD = [
  {},
  report({ text: null }),
  report({ text: '\ud800' }),
  report({ elements: {} }),
  report({ omitted: 'private' }),
  report({ elements: [element(), element()] }),
  report({ elements: [element({ ref: '#go' })] }),
  report({ elements: [element({ role: 'link' })] }),
  report({ elements: [element({ label: '' })] }),
  report({ elements: [element({ label: 'é'.repeat(129) })] }),
  report({ elements: [element({ value: 1 })] }),
  report({ elements: [element({ value: 'a'.repeat(513) })] }),
  report({ elements: [element({ options: [{ label: 'a', value: null }] })] }),
  report({ elements: [element({ checked: 'true' })] }),
];

test('bad reports are refused', () => {
  for (const bad of BAD) assert.throws(() => readReport(bad), /interferes/, JSON.stringify(bad));
  for (const text of [null, 1, '', 'x', '[]', '"x"']) {
    assert.throws(() => parseAnswer(text), /interferes/);
  }
});

test('a call that can be stopped is stopped, then waited for', async () => {
  const controller = new AbortController();
  const log = [];
  const { promise, reject } = withResolvers();
  const taken = new Steps(controller.signal).take(
    () => promise,
    async () => {
      log.push('stop');
      reject(new Error('stopped'));
    },
  );
  controller.abort(new Error('enough'));
  await assert.rejects(taken, /enough/);
  assert.deepEqual(log, ['stop']);
});

/** Promise.withResolvers, which Node 20 lacks. */
function withResolvers() {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
}
