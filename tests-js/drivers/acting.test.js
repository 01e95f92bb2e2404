import assert from 'node:assert/strict';
import { test } from 'node:test';

import { useRig } from './support/rig.js';

const RECORD = `<script>
  window.seen = [];
  for (const kind of ['click', 'change'])
    addEventListener(kind, (e) => window.seen.push(kind + ' ' + (e.target.id || e.target.localName)), true);
</script>`;

const rig = useRig();
const seen = () => rig.page.evaluate(() => window.seen);
const values = async () =>
  Object.fromEntries((await rig.read()).elements.map((item) => [item.label, item.value]));

test('type replaces what a control holds', async () => {
  await rig.open(
    '<input aria-label=in value=old><textarea aria-label=area>old</textarea>' +
      '<div contenteditable aria-label=rich>old</div><input type=range aria-label=range>',
  );
  await rig.call('type', { target: await rig.ref('in'), text: 'new 😀' });
  await rig.call('type', { target: await rig.ref('area'), text: 'two\nlines' });
  await rig.call('type', { target: await rig.ref('rich'), text: 'bold' });
  await rig.call('type', { target: await rig.ref('range'), text: '70' });
  assert.deepEqual(await values(), {
    in: 'new 😀',
    area: 'two\nlines',
    rich: 'bold',
    range: '70',
  });
});

test('type says what takes no text', async () => {
  await rig.open(
    '<button>b</button><input readonly aria-label=fixed><input type=date aria-label=date>',
  );
  const target = async (label) => ({ target: await rig.ref(label), text: 'tomorrow' });
  await rig.refuses(/takes no text/, 'type', await target('b'));
  await rig.refuses(/read-only/, 'type', await target('fixed'));
  await rig.refuses(/YYYY-MM-DD/, 'type', await target('date'));
});

test('keys and text go to the focus', async () => {
  await rig.open('<textarea aria-label=t>one</textarea>');
  await rig.call('click', { target: await rig.ref('t') });
  await rig.call('key', { keys: ['Ctrl', 'A'] });
  await rig.call('key', { keys: ['Del'] });
  await rig.call('type', { target: null, text: `a😀${'x'.repeat(150)}` });
  await rig.call('key', { keys: ['Shift+b'] });
  await rig.call('key', { keys: ['Return'] });
  assert.equal((await values()).t, `a😀${'x'.repeat(150)}B\n`);
  await rig.refuses(/Enter, Escape, Tab/, 'key', { keys: ['Hyper'] });
});

test('select_option takes values and labels, and does nothing twice', async () => {
  await rig.open(
    `${RECORD}<select id=one aria-label=one><option value=a>Apple<option value=b>Banana` +
      '<option value=c disabled>Cherry</select><select multiple aria-label=many><option>x<option>y</select>',
  );
  const target = await rig.ref('one');
  for (const values of [['b'], ['b'], ['Banana']]) {
    await rig.call('select_option', { target, values });
  }
  assert.deepEqual(await seen(), ['change one']);
  assert.equal((await values()).one, 'b');
  await rig.refuses(/no option/, 'select_option', { target, values: ['d'] });
  await rig.refuses(/disabled/, 'select_option', { target, values: ['c'] });
  await rig.refuses(/exactly one/, 'select_option', { target, values: [] });
  await rig.call('select_option', { target: await rig.ref('many'), values: ['y', 'x'] });
  const many = (await rig.read()).elements[1];
  assert.ok(many.options.every(({ selected }) => selected));
});

test('set_checked leaves the wanted state', async () => {
  await rig.open(
    `${RECORD}<label><input id=box type=checkbox>Box</label>` +
      '<label><input id=off type=checkbox style="display: none">Restyled</label>' +
      '<label><input id=third type=checkbox>Third</label><input type=radio aria-label=r>',
  );
  await rig.page.evaluate(() => (document.getElementById('third').indeterminate = true));
  for (const label of ['Box', 'Restyled', 'Third']) {
    const target = await rig.ref(label);
    await rig.call('set_checked', { target, checked: true });
    await rig.call('set_checked', { target, checked: true });
  }
  const changes = (await seen()).filter((event) => event.startsWith('change'));
  assert.deepEqual(changes, ['change box', 'change off', 'change third']);
  const radio = { target: await rig.ref('r'), checked: true };
  await rig.call('set_checked', radio);
  await rig.refuses(/cleared only by/, 'set_checked', { ...radio, checked: false });
});

test('frames and shadow roots are acted in', async () => {
  rig.serveSharedPages();
  await rig.page.goto(rig.site.url('/frames.html'), { waitUntil: 'load' });
  await rig.call('click', { target: await rig.ref('In frame') });
  assert.equal(await rig.page.title(), 'Clicked');
  await rig.call('type', { target: await rig.ref('Framed field'), text: 'typed' });
  assert.equal(await rig.page.title(), 'typed');
  await rig.call('set_checked', { target: await rig.ref('Framed box'), checked: true });
  await rig.page.goto(rig.site.url('/shadow.html'));
  await rig.call('click', { target: await rig.ref('Deep button') });
  assert.equal(await rig.page.title(), 'Clicked');
});

test('points of the viewport', async () => {
  await rig.open(
    '<body style="height: 3000px"><script>' +
      'onclick = (e) => { window.at = [e.clientX, e.clientY, e.detail, e.shiftKey] };' +
      'onmousemove = (e) => { window.over = [e.clientX, e.clientY, e.buttons] }</script>',
  );
  const click = { button: 'left', click_count: 2, keys: ['Shift'] };
  await rig.call('scroll', { direction: 'down', amount: 300 });
  await rig.call('click_at', { x: 100, y: 120, ...click });
  assert.deepEqual(await rig.page.evaluate(() => window.at), [100, 120, 2, true]);
  await rig.call('hover_at', { x: 30, y: 40 });
  assert.deepEqual(await rig.page.evaluate(() => window.over), [30, 40, 0]);
  assert.equal(await rig.page.evaluate(() => scrollY), 300);
  await rig.refuses(/800 x 600/, 'click_at', { x: 800, y: 1, ...click });
});

test('scroll says how far it came', async () => {
  await rig.open('<body style="margin: 0; height: 1000px"><p>x</p>');
  const scroll = (direction, amount) => rig.call('scroll', { direction, amount });
  assert.equal(await scroll('down', 100), 'Scrolled by 100 CSS pixels.');
  assert.equal(await scroll('down', 900), 'Scrolled by 300 CSS pixels.');
  assert.match(await scroll('down', 1), /Nothing moved/);
});

test('pictures are PNG data URLs of the viewport', async () => {
  await rig.open('<p>x</p>');
  const size = ({ type, image_url, detail }) => {
    assert.deepEqual([type, detail], ['input_image', 'original']);
    const [head, data] = image_url.split(',');
    assert.equal(head, 'data:image/png;base64');
    const image = Buffer.from(data, 'base64');
    return [image.readUInt32BE(16), image.readUInt32BE(20)];
  };
  assert.deepEqual(size(await rig.call('screenshot')), [800, 600]);
  assert.deepEqual(size(await rig.call('zoom', { region: [10, 20, 110, 70] })), [100, 50]);
  await rig.refuses(/800 x 600/, 'zoom', { region: [0, 0, 801, 10] });
});
