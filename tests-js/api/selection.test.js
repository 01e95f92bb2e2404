/** What a constructor accepts (B-1 … B-5, B-22). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BROWSER_MEMBERS,
  BrowserToolset,
  ConfigurationError,
  DEFAULT_BROWSER_MEMBERS,
} from 'swingbridge';
import { driverOf } from '../support.js';

const consent = { confirm: () => true, urlPolicy: () => true };
const all = () => driverOf(Object.fromEntries(BROWSER_MEMBERS.map((member) => [member, () => {}])));
const names = (toolset) => toolset.tools().map(({ name }) => name.replace('browser_', ''));

test('the member lists are fixed', () => {
  assert.equal(BROWSER_MEMBERS.length, 28);
  assert.equal(DEFAULT_BROWSER_MEMBERS.length, 18);
  assert.ok(Object.isFrozen(BROWSER_MEMBERS) && Object.isFrozen(DEFAULT_BROWSER_MEMBERS));
});

test('what the driver has of the defaults is exposed, in the order of the table', () => {
  assert.deepEqual(names(new BrowserToolset(all(), consent)), DEFAULT_BROWSER_MEMBERS);
  assert.deepEqual(names(new BrowserToolset(driverOf({ find() {}, navigate() {} }), consent)), [
    'navigate',
    'find',
    'list_tabs',
  ]);
  const members = ['run_script', 'click', 'list_tabs'];
  assert.deepEqual(names(new BrowserToolset(all(), { ...consent, members })), [
    'click',
    'list_tabs',
    'run_script',
  ]);
  assert.deepEqual(names(new BrowserToolset(all(), { members: [] })), []);
});

for (const [what, driver, options, code] of [
  [
    'both lists',
    all(),
    { ...consent, members: [], additionalMembers: [] },
    'members_and_additional_members',
  ],
  ['an unknown name', all(), { ...consent, members: ['fly'] }, 'unknown_member'],
  ['a name twice', all(), { ...consent, members: ['find', 'find'] }, 'member_named_twice'],
  ['a text for a list', all(), { ...consent, members: 'find' }, 'unknown_member'],
  ['a set for a list', all(), { ...consent, members: new Set(['find']) }, 'unknown_member'],
  [
    'a name that is no text',
    all(),
    { ...consent, additionalMembers: [Symbol('find')] },
    'unknown_member',
  ],
  ['a member that the driver lacks', driverOf(), { members: ['find'] }, 'member_not_implemented'],
  ['no confirm', driverOf({ click() {} }), {}, 'confirm_required'],
  [
    'a confirm that is no function',
    driverOf({ click() {} }),
    { confirm: true },
    'confirm_required',
  ],
  ['no URL policy', driverOf({ navigate() {} }), { confirm() {} }, 'url_policy_required'],
  [
    'an unselected read',
    driverOf({ find() {} }),
    { ...consent, confirmReads: ['zoom'] },
    'confirm_reads_not_selected',
  ],
  [
    'a read that is a change',
    all(),
    { ...consent, confirmReads: ['click'] },
    'confirm_reads_not_a_read',
  ],
  [
    'read_diagnostics among the reads',
    all(),
    { ...consent, additionalMembers: ['read_diagnostics'], confirmReads: ['read_diagnostics'] },
    'confirm_reads_not_a_read',
  ],
  [
    'reads without confirm',
    driverOf({ find() {} }),
    { confirmReads: ['find'] },
    'confirm_reads_without_confirm',
  ],
  [
    'a text for the reads',
    driverOf({ find() {} }),
    { ...consent, confirmReads: 'find' },
    'unknown_member',
  ],
  ['no driver', undefined, consent, 'driver_invalid'],
  ['a text for a driver', 'driver', consent, 'driver_invalid'],
]) {
  test(`${what}: refused`, () => {
    assert.throws(
      () => new BrowserToolset(driver, options),
      (error) => {
        assert.ok(error instanceof ConfigurationError && error instanceof TypeError);
        assert.equal(error.name, 'ConfigurationError');
        assert.equal(error.code, code);
        return true;
      },
    );
  });
}

test('inherited methods count, those of Object.prototype do not', () => {
  class Reader {
    state() {}
    find() {}
  }
  class Clicker extends Reader {
    click() {}
  }
  assert.deepEqual(names(new BrowserToolset(new Clicker(), consent)), [
    'find',
    'click',
    'list_tabs',
  ]);
  const nothing = Object.assign(Object.create(null), { state() {}, find() {} });
  assert.deepEqual(names(new BrowserToolset(nothing)), ['find', 'list_tabs']);
  Object.prototype.hover = () => {};
  try {
    assert.deepEqual(names(new BrowserToolset(driverOf())), ['list_tabs']);
  } finally {
    delete Object.prototype.hover;
  }
});

test('a driver behind a proxy counts for what it gives', () => {
  const driver = new Proxy(
    {},
    { get: (_, name) => (['state', 'find'].includes(name) ? () => {} : undefined) },
  );
  assert.deepEqual(names(new BrowserToolset(driver)), ['find', 'list_tabs']);
});
