import assert from 'node:assert/strict';
import { test } from 'node:test';

import { BrowserError } from 'swingbridge';
import { PlaywrightBrowserDriver } from 'swingbridge/drivers/playwright';

import { useRig } from './support/rig.js';

const rig = useRig();

async function isNumberedWithoutGaps() {
  const { observation } = await rig.state();
  const first = observation.dropped_changes + 1;
  assert.deepEqual(
    observation.changes.map(({ sequence }) => sequence),
    observation.changes.map((_change, index) => first + index),
  );
  assert.equal(observation.sequence, observation.dropped_changes + observation.changes.length);
}

test('the first state is a starting point', async () => {
  assert.deepEqual(await rig.state(), {
    tabs: [{ id: 'tab-1', title: '', url: 'about:blank', active: true }],
    observation: {
      version: 1,
      sequence: 0,
      dropped_changes: 0,
      title_truncated: false,
      changes: [],
    },
  });
});

test('tabs are numbered for ever', async () => {
  await rig.open('<title>One</title>');
  await rig.call('new_tab', { url: null });
  await rig.call('new_tab', { url: rig.site.url('/page') });
  await rig.call('close_tab', { tab_id: 'tab-2' });
  await rig.call('switch_tab', { tab_id: 'tab-1' });
  await rig.call('new_tab', { url: null });
  await rig.call('close_tab', { tab_id: 'tab-4' });
  const { tabs } = await rig.state();
  assert.deepEqual(
    tabs.map(({ id, title, active }) => [id, title, active]),
    [
      ['tab-1', 'One', true],
      ['tab-3', 'One', false],
    ],
  );
  assert.deepEqual(await rig.changes(), [
    { type: 'navigation', tab_id: 'tab-1' },
    { type: 'tab_opened', tab_id: 'tab-2' },
    { type: 'tab_switched', tab_id: 'tab-2' },
    { type: 'tab_opened', tab_id: 'tab-3' },
    { type: 'tab_switched', tab_id: 'tab-3' },
    { type: 'navigation', tab_id: 'tab-3' },
    { type: 'tab_closed', tab_id: 'tab-2' },
    { type: 'tab_switched', tab_id: 'tab-1' },
    { type: 'tab_opened', tab_id: 'tab-4' },
    { type: 'tab_switched', tab_id: 'tab-4' },
    { type: 'tab_closed', tab_id: 'tab-4' },
    { type: 'tab_switched', tab_id: 'tab-1' },
  ]);
  await isNumberedWithoutGaps();
});

test('unknown tabs are refused', async () => {
  await rig.refuses(/No open tab has this id/, 'screenshot', { tab_id: 'tab-9' });
  await rig.refuses(/No open tab has this id/, 'close_tab', { tab_id: '' });
  await rig.call('close_tab', { tab_id: 'tab-1' });
  await rig.refuses(/No tab is open/, 'screenshot', {});
});

test('a popup becomes the active tab', async () => {
  rig.site.pages.set('/popup', '<title>Popup</title><button>Inside</button>');
  await rig.open('<a href=/popup target=_blank>Open</a>');
  await rig.call('click', { target: await rig.ref('Open') });
  await rig.until(async () => (await rig.state()).tabs[1]?.title === 'Popup');
  assert.deepEqual(
    (await rig.state()).tabs.map(({ active }) => active),
    [false, true],
  );
  await rig.call('click', { target: await rig.ref('Inside') });
  await isNumberedWithoutGaps();
});

test('a driver of one page sees that page and its popups', async () => {
  const driver = new PlaywrightBrowserDriver(rig.page);
  await rig.context.newPage();
  const ids = async () => (await driver.state()).tabs.map(({ id }) => id);
  assert.deepEqual(await ids(), ['tab-1']);
  await rig.page.evaluate(() => void window.open('about:blank'));
  await rig.until(async () => (await ids()).length === 2);
});

test('dialogs are dismissed and recorded', async () => {
  await rig.open(
    '<button onclick="alert(1); window.result = confirm(2); prompt(3); document.title = \'after\'">Ask</button>',
  );
  await rig.call('click', { target: await rig.ref('Ask') });
  await rig.until(async () => (await rig.state()).tabs[0].title === 'after');
  assert.deepEqual(
    (await rig.changes(1)).map(({ type, kind, tab_id }) => [type, kind, tab_id]),
    ['alert', 'confirm', 'prompt'].map((kind) => ['dialog_dismissed', kind, 'tab-1']),
  );
  assert.equal(await rig.page.evaluate(() => window.result), false);
});

test('downloads are blocked and recorded', async () => {
  rig.site.pages.set('/file', (response) => {
    response.writeHead(200, {
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
    });
    response.end('x');
  });
  await rig.open('<a href=/file>Get</a>');
  await rig.call('click', { target: await rig.ref('Get') });
  await rig.until(async () => (await rig.changes(1)).length === 1);
  assert.deepEqual(await rig.changes(1), [
    { type: 'download', tab_id: 'tab-1', status: 'blocked' },
  ]);
  await rig.refuses(/downloads are blocked/, 'navigate', { url: rig.site.url('/file') });
});

for (const url of [
  'file:///etc/hostname',
  'data:text/html,x',
  'javascript:alert(1)',
  '/relative',
  'http://user:planted@127.0.0.1/',
  'http://127.0.0.1\\@example.com/',
  'http://127.0.0.1/\n',
  'http://127.0.0.1:99999/',
]) {
  test(`${JSON.stringify(url)} is not opened`, async () => {
    for (const member of ['navigate', 'new_tab']) {
      await assert.rejects(rig.call(member, { url }), (error) => {
        assert.ok(error instanceof BrowserError);
        assert.ok(!error.message.includes('planted'));
        return true;
      });
    }
    assert.deepEqual(await rig.changes(), [
      { type: 'navigation_refused', tab_id: 'tab-1', reason: 'unsupported' },
      { type: 'navigation_refused', tab_id: null, reason: 'unsupported' },
    ]);
  });
}

test('a page at another kind of address is not shown', async () => {
  await rig.open(
    "<script>onclick = () => { window.open(URL.createObjectURL(new Blob(['planted'])) ) }</script>",
  );
  await rig.page.mouse.click(1, 1);
  await rig.until(async () => (await rig.state()).tabs.length === 2);
  await rig.until(() => rig.context.pages()[1].url().startsWith('blob:'));
  assert.equal((await rig.state()).tabs[1].url, 'about:blank');
  await rig.refuses(/unsupported/, 'read_page', { filter: 'all' });
});

test('an address that does not load', async () => {
  const url = 'http://127.0.0.1:9/planted?planted';
  await rig.refuses(/could not be opened/, 'navigate', { url });
  assert.ok(!JSON.stringify(await rig.state()).includes('planted'));
});

test('the buffer forgets the oldest changes', async () => {
  await rig.open('<p>x</p>');
  await rig.page.evaluate(() => {
    for (let i = 0; i < 80; i += 1) history.pushState({}, '', `#${i}`);
  });
  await rig.until(async () => (await rig.state()).observation.sequence === 81);
  const { observation } = await rig.state();
  assert.deepEqual([observation.changes.length, observation.dropped_changes], [64, 17]);
  await isNumberedWithoutGaps();
});

test('titles are safe to report', async () => {
  await rig.open(
    '<title>Inbox (3) ann@example.com https://u:p@host.example/a?token=planted</title>',
  );
  assert.equal((await rig.state()).tabs[0].title, 'Inbox (3) [address] https://host.example');
  await rig.page.evaluate(() => (document.title = 'é'.repeat(600)));
  const { tabs, observation } = await rig.state();
  assert.equal(tabs[0].title, 'é'.repeat(512));
  assert.equal(observation.title_truncated, true);
});

test('detach leaves the browser alone', async () => {
  await rig.open('<p>x</p>');
  rig.driver.detach();
  await rig.page.goto(rig.site.url('/page'));
  assert.equal((await rig.changes()).length, 1);
  const events = ['popup', 'framenavigated', 'dialog', 'download', 'crash', 'close'];
  const untouched = await rig.context.newPage();
  assert.deepEqual(
    events.map((event) => rig.page.listenerCount(event)),
    events.map((event) => untouched.listenerCount(event)),
  );
});
