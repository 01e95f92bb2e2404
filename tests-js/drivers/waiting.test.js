import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';

import { PlaywrightBrowserDriver } from 'swingbridge/drivers/playwright';

import { useRig } from './support/rig.js';

const rig = useRig();

test('wait_for sees text when it comes, across documents', async () => {
  rig.site.pages.set('/next', '<p>all <i>is</i>\n well</p>');
  await rig.open('<p>start</p>');
  await rig.page.evaluate(() => void setTimeout(() => (location.href = '/next'), 100));
  await rig.call('wait_for', { text: ' all is   well', timeout_ms: 5000 });
});

test('wait_for gives up', async () => {
  await rig.open('<b hidden>never</b>');
  const start = performance.now();
  await rig.refuses(/did not become visible in time/, 'wait_for', {
    text: 'never',
    timeout_ms: 300,
  });
  const taken = performance.now() - start;
  assert.ok(taken >= 300 && taken < 3000, `${taken} ms`);
});

test('wait_for is cancelled between looks', async () => {
  await rig.open('<p></p>');
  const controller = new AbortController();
  const waiting = rig.call('wait_for', { text: 'never', timeout_ms: 30_000 }, controller.signal);
  await rig.page.waitForTimeout(150);
  controller.abort(new Error('enough'));
  await assert.rejects(waiting, /enough/);
  assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
});

test('a cancelled operation does nothing', async () => {
  await rig.open("<button onclick='window.clicks = 1'>b</button>");
  const target = await rig.ref('b');
  const before = await rig.state();
  const signal = AbortSignal.abort(new Error('enough'));
  const calls = {
    read_page: { filter: 'all' },
    click: { target },
    key: { keys: ['Tab'] },
    screenshot: {},
    navigate: { url: rig.site.url('/page?again') },
    new_tab: { url: null },
  };
  for (const [member, args] of Object.entries(calls)) {
    await assert.rejects(rig.call(member, args, signal), /enough/, member);
  }
  assert.deepEqual(await rig.state(), before);
  assert.equal(await rig.page.evaluate(() => window.clicks), undefined);
});

test('navigation is bounded and can be stopped', async () => {
  const waiting = [];
  rig.site.pages.set('/slow', (response) => void waiting.push(response));
  const hasty = new PlaywrightBrowserDriver(rig.page, { navigationTimeoutMs: 300 });
  await assert.rejects(
    hasty.navigate({ url: rig.site.url('/slow'), tab_id: null }),
    /did not answer in time/,
  );
  await rig.open('<p>before</p>');
  const controller = new AbortController();
  const url = rig.site.url('/slow');
  const arrived = waiting.length;
  const loading = rig.call('navigate', { url }, controller.signal);
  await rig.until(() => waiting.length > arrived);
  controller.abort(new Error('enough'));
  await assert.rejects(loading, /enough/);
  assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
  for (const response of waiting) response.end('<p>slow</p>');
  assert.equal((await rig.read()).text, 'before');
});

test('a page that hangs does not hold the driver', async () => {
  await rig.open("<title>Busy</title><button onclick='for (;;);'>Hang</button>");
  const hasty = new PlaywrightBrowserDriver(rig.page, { actionTimeoutMs: 300 });
  const { elements } = await hasty.read_page({ filter: 'all', tab_id: null });
  const target = elements[0].ref;
  await assert.rejects(hasty.click({ target, tab_id: null }), /in time/);
  assert.equal((await rig.state()).tabs.length, 1);
  await rig.call('close_tab', { tab_id: 'tab-1' });
  assert.equal((await rig.state()).tabs.length, 0);
});

test('limits have limits', () => {
  for (const limit of [0, 60_001, NaN]) {
    assert.throws(() => new PlaywrightBrowserDriver(rig.page, { actionTimeoutMs: limit }), {
      name: 'RangeError',
      message: 'actionTimeoutMs must be between 1 and 60000',
    });
  }
});
