import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';

import { PAGES, useRig } from './support/rig.js';

const rig = useRig();
const byName = (list) => [...list].sort();

for (const file of readdirSync(PAGES).filter((name) => name.endsWith('.json'))) {
  test(`${file} is what its page reports (B-41, D-1)`, async () => {
    rig.serveSharedPages();
    await rig.page.goto(rig.site.url(`/${file.replace('.json', '.html')}`), { waitUntil: 'load' });
    const expected = JSON.parse(readFileSync(new URL(file, PAGES), 'utf8'));

    const read = await rig.read();

    assert.deepEqual(
      read.elements.map(({ ref: _ref, ...element }) => element),
      expected.elements,
    );
    assert.equal(read.text, expected.text);
    assert.deepEqual(byName(read.omitted), byName(expected.omitted));
    assert.ok(!JSON.stringify(read).includes('planted'));
    assert.deepEqual(await rig.read('interactive'), { ...read, text: '' });
    const text = await rig.call('get_page_text');
    assert.deepEqual([text.text, text.elements], [read.text, []]);
  });
}

test('find looks for labels, hints, options and lines', async () => {
  await rig.open(
    '<p>Delivery on Monday</p><button>Send order</button><a href=/>Help</a>' +
      '<select aria-label=Day><option>Monday<option>Tuesday</select><input placeholder="Search">',
  );
  const labels = async (query) =>
    (await rig.call('find', { query })).elements.map(({ label }) => label);
  assert.deepEqual(await labels('the send order button'), ['Send order']);
  assert.deepEqual(await labels('search field'), ['Search']);
  assert.deepEqual(await labels('tuesday'), ['Day']);
  assert.deepEqual(await labels('nothing like it'), []);
  assert.equal((await rig.call('find', { query: 'delivery' })).text, 'Delivery on Monday');
});

test('values can be left out altogether', async () => {
  await rig.context.close();
  await rig.start({ reportValues: false });
  await rig.open('<input aria-label=a value=planted>');
  const read = await rig.read();
  assert.deepEqual(read.omitted, ['value']);
  assert.ok(!JSON.stringify(read).includes('planted'));
});

test('a page that interferes spoils its own reading only', async () => {
  await rig.open('<button>Go</button>');
  await rig.page.evaluate(() => {
    Array.prototype.toJSON = () => 'x';
    JSON.stringify = () => '{}';
    String.prototype.replace = () => 'planted'.repeat(500);
  });
  await rig.refuses(/interferes/, 'read_page', { filter: 'all' });
  assert.equal((await rig.state()).tabs.length, 1);
});
