/** An action hits the page that was approved, whatever happened since (B-20, B-21, D-1). */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { BrowserToolset } from 'swingbridge';

import { useRig } from './support/rig.js';

const CHANGED = 'The page changed since it was last reported; read it again.';
const FIELD = "<body style='height: 3000px'><input autofocus aria-label=field>";
const RECORD =
  "<script>window.hits = []; for (const kind of ['click', 'mousemove'])" +
  ' addEventListener(kind, (e) => hits.push(e.type))</script>';
const UNTOUCHED = ['', 0, 0];

/** What depends on the page and names nothing in it. */
const AT_THE_PAGE = {
  type: { target: null, text: 'secret' },
  key: { keys: ['s'] },
  click_at: { x: 20, y: 300, button: 'left', click_count: 1, keys: [] },
  hover_at: { x: 20, y: 300 },
  scroll: { direction: 'down', amount: 100 },
};

const rig = useRig();

async function openBank() {
  rig.site.pages.set('/popup', `<title>Popup</title>${RECORD}${FIELD}`);
  rig.otherSite.pages.set('/other', `<title>Other</title>${RECORD}${FIELD}`);
  await rig.open(`<title>Bank</title>${RECORD}${FIELD}`);
  await rig.page.focus('input');
}

/** Opens a window from the page and waits until it shows its field. */
async function openPopup() {
  await rig.page.evaluate(async () => {
    const popup = window.open('/popup');
    while (!popup.document.querySelector('input')) {
      await new Promise((done) => setTimeout(done, 10));
    }
  });
  await rig.until(() => rig.context.pages().length === 2);
  return rig.context.pages()[1];
}

/** What arrived at a page: text, events, scrolling. */
function traces(page = rig.page) {
  return page.evaluate(() => [
    document.querySelector('input').value,
    window.hits.length,
    window.scrollY,
  ]);
}

const refuses = (member, args) => rig.refuses(new RegExp(`^${CHANGED}$`), member, args);

/** Runs a call whose approval takes as long as `meanwhile`; returns the payload of its output. */
async function execute(meanwhile, member) {
  const confirm = async () => {
    await meanwhile();
    return true;
  };
  const toolset = new BrowserToolset(rig.driver, { members: [member], confirm });
  const { output } = await toolset.execute({
    type: 'function_call',
    call_id: 'call_1',
    name: `browser_${member}`,
    arguments: JSON.stringify({ tab_id: null, ...AT_THE_PAGE[member] }),
    status: 'completed',
  });
  return JSON.parse(output[0].text);
}

test('a popup during approval gets nothing', async () => {
  await openBank();
  const { ok, state } = await execute(openPopup, 'type');
  assert.equal(ok, true);
  assert.equal((await traces())[0], 'secret');
  assert.deepEqual(await traces(rig.context.pages()[1]), UNTOUCHED);
  assert.deepEqual(
    state.tabs.map(({ active }) => active),
    [true, false],
  );
});

for (const [member, args] of Object.entries(AT_THE_PAGE)) {
  test(`${member}: a navigation during approval ends the action`, async () => {
    await openBank();
    const away = () => rig.page.goto(rig.otherSite.url('/other'));
    const payload = await execute(away, member);
    assert.deepEqual([payload.ok, payload.error], [false, CHANGED]);
    assert.deepEqual(await traces(), UNTOUCHED);
    assert.equal(payload.state.tabs[0].url, rig.otherSite.origin);
  });

  test(`${member}: the tab that was reported is meant`, async () => {
    await openBank();
    await rig.state();
    const popup = await openPopup();
    await rig.call(member, args);
    assert.deepEqual(await traces(popup), UNTOUCHED);
    assert.notDeepEqual(await traces(), UNTOUCHED);
    assert.equal((await rig.state()).tabs[0].active, true);
  });

  test(`${member}: a named tab is held to its document`, async () => {
    await openBank();
    await rig.state();
    await rig.page.goto(rig.otherSite.url('/other'));
    await rig.page.focus('input');
    await refuses(member, { ...args, tab_id: 'tab-1' });
    assert.deepEqual(await traces(), UNTOUCHED);
    await rig.state();
    await rig.call(member, { ...args, tab_id: 'tab-1' });
    assert.notDeepEqual(await traces(), UNTOUCHED);
  });
}

test('reads look at the tab that is active now', async () => {
  await openBank();
  const stale = await rig.ref('field');
  await rig.state();
  await openPopup();
  const fresh = await rig.ref('field');
  assert.notEqual(fresh, stale);
  await rig.refuses(/stale/, 'type', { target: fresh, text: 'secret' });
  await rig.call('type', { target: stale, text: 'by reference' });
  assert.equal((await traces())[0], 'by reference');
});

test('the next report is about the popup', async () => {
  await openBank();
  await rig.state();
  const popup = await openPopup();
  assert.equal((await rig.state()).tabs[1].active, true);
  await popup.focus('input');
  await rig.call('type', { target: null, text: 'meant' });
  assert.equal((await traces(popup))[0], 'meant');
});

test('addresses open in the tab that was reported, whatever it shows', async () => {
  await openBank();
  rig.site.pages.set('/next', `${RECORD}${FIELD}`);
  await rig.state();
  const popup = await openPopup();
  await rig.page.goto(rig.otherSite.url('/other'));
  await rig.call('navigate', { url: rig.site.url('/next') });
  assert.equal(rig.page.url(), rig.site.url('/next'));
  assert.equal(popup.url(), rig.site.url('/popup'));
  await rig.page.focus('input');
  await rig.call('type', { target: null, text: 'expected' });
  assert.equal((await traces())[0], 'expected');
});

test('an empty window that is filled is another document', async () => {
  // The browser keeps the window object of an empty popup for the first document of the same origin.
  rig.site.pages.set('/popup', `${RECORD}${FIELD}`);
  await rig.open('<title>Opener</title>');
  await rig.page.evaluate(() => void (window.popup = window.open('about:blank')));
  await rig.until(() => rig.context.pages().length === 2);
  assert.equal((await rig.state()).tabs[1].active, true);
  const popup = rig.context.pages()[1];
  await rig.page.evaluate(() => void (window.popup.location = '/popup'));
  await popup.waitForSelector('input');
  await refuses('type', AT_THE_PAGE.type);
  await refuses('scroll', AT_THE_PAGE.scroll);
  assert.deepEqual(await traces(popup), UNTOUCHED);
});

test('a reported tab that closed is not replaced', async () => {
  await openBank();
  const popup = await openPopup();
  assert.equal((await rig.state()).tabs[1].active, true);
  await popup.close();
  await rig.until(() => rig.context.pages().length === 1);
  await refuses('type', AT_THE_PAGE.type);
  await refuses('navigate', { url: rig.site.url('/popup') });
  assert.deepEqual(await traces(), UNTOUCHED);
});

test('a tab that was not reported cannot be named', async () => {
  await openBank();
  await rig.state();
  await openPopup();
  const named = { tab_id: 'tab-2' };
  for (const member of ['switch_tab', 'close_tab']) await refuses(member, named);
  await refuses('type', { ...AT_THE_PAGE.type, ...named });
  await refuses('navigate', { url: rig.site.url('/page'), ...named });
  assert.equal((await rig.state()).tabs.length, 2);
  await rig.call('close_tab', named);
});

test('history within a document is no change, a reload is one', async () => {
  await openBank();
  await rig.state();
  await rig.page.evaluate(() => history.pushState({}, '', '/popup'));
  await rig.call('type', AT_THE_PAGE.type);
  assert.equal((await traces())[0], 'secret');
  await rig.page.reload();
  await refuses('type', AT_THE_PAGE.type);
});

test('what a click leads to is used after the next report', async () => {
  rig.site.pages.set('/next', `${RECORD}${FIELD}`);
  await rig.open('<a href=/next>Next</a>');
  await rig.state();
  await rig.call('click', { target: await rig.ref('Next') });
  await rig.page.waitForURL('**/next');
  await rig.state();
  await rig.call('click', { target: await rig.ref('field') });
  await rig.call('type', AT_THE_PAGE.type);
  assert.equal((await traces())[0], 'secret');
});

test('what the caller itself opens needs no report', async () => {
  await openBank();
  await rig.state();
  await rig.call('new_tab', { url: rig.site.url('/popup') });
  await rig.call('scroll', AT_THE_PAGE.scroll);
  assert.equal((await traces(rig.context.pages()[1]))[2], 100);
  await rig.call('switch_tab', { tab_id: 'tab-1' });
  await rig.call('type', AT_THE_PAGE.type);
  await rig.call('switch_tab', { tab_id: 'tab-2' });
  await rig.call('close_tab', { tab_id: 'tab-2' });
  await rig.call('key', { keys: ['Backspace'] });
  assert.equal((await traces())[0], 'secre');
});
