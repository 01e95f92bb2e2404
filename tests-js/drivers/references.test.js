import assert from 'node:assert/strict';
import { test } from 'node:test';

import { useRig } from './support/rig.js';

const FORM = `
<form onsubmit="return false">
  <label>Name <input name="id"></label>
  <button name="action" onclick="window.clicks = (window.clicks || 0) + 1">Save</button>
</form>`;

const rig = useRig();
const clicks = () => rig.page.evaluate(() => window.clicks);

test('references are the same in every read and work', async () => {
  await rig.open(FORM);
  assert.deepEqual(await rig.read(), await rig.read());
  await rig.call('click', { target: await rig.ref('Save') });
  assert.equal(await clicks(), 1);
});

test('references die with their document', async () => {
  await rig.open(FORM);
  const old = await rig.ref('Save');
  await rig.page.reload();
  await rig.refuses(/stale/, 'click', { target: old });
  assert.notEqual(await rig.ref('Save'), old);
  await rig.refuses(/stale/, 'click', { target: old });
  assert.equal(await clicks(), undefined);
});

test('references survive a change of address within the document', async () => {
  await rig.open(FORM);
  const ref = await rig.ref('Save');
  await rig.page.evaluate(() => history.pushState({}, '', '/elsewhere'));
  await rig.call('click', { target: ref });
  assert.equal(await clicks(), 1);
});

const CHANGES = {
  detached: [/stale/, () => document.querySelector('button').remove()],
  replaced: [
    /stale/,
    () => {
      const button = document.querySelector('button');
      button.replaceWith(button.cloneNode(true));
    },
  ],
  hidden: [/not visible/, () => (document.querySelector('form').style.display = 'none')],
  renamed: [/changed/, () => (document.querySelector('button').textContent = 'Pay')],
  disabled: [/disabled/, () => (document.querySelector('button').disabled = true)],
};

for (const [name, [words, change]] of Object.entries(CHANGES)) {
  test(`a ${name} control is refused`, async () => {
    await rig.open(FORM);
    const ref = await rig.ref('Save');
    await rig.page.evaluate(change);
    await rig.refuses(words, 'click', { target: ref });
    assert.equal(await clicks(), undefined);
  });
}

test('references belong to one tab', async () => {
  await rig.open(FORM);
  const ref = await rig.ref('Save');
  await rig.call('new_tab', { url: rig.site.url('/page') });
  await rig.refuses(/stale/, 'click', { target: ref });
  await rig.call('click', { target: ref, tab_id: 'tab-1' });
  assert.equal(await clicks(), 1);
});

for (const target of ['', '#save', 'g1-e99', 'g0-e0', 'g1-e1 ', '\u0661']) {
  test(`${JSON.stringify(target)} is no reference`, async () => {
    await rig.open(FORM);
    await rig.refuses(/stale/, 'click', { target });
    await rig.read();
    await rig.refuses(/stale/, 'click', { target });
  });
}

test('every operation with a target checks it', async () => {
  await rig.open(FORM);
  const target = await rig.ref('Save');
  await rig.page.reload();
  const calls = {
    click: {},
    type: { text: 'x' },
    select_option: { values: ['x'] },
    set_checked: { checked: true },
    hover: {},
    scroll_to: {},
  };
  for (const [member, args] of Object.entries(calls)) {
    await rig.refuses(/stale/, member, { ...args, target });
  }
});
