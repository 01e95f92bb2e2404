/** A page that writes down what happens to it, and a computer driver on it. */
import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';
import { chromium } from 'playwright-core';
import { PlaywrightComputerDriver } from 'swingbridge/drivers/playwright-computer';
import { launchOptions } from '../drivers/support/rig.js';
import { Site } from '../drivers/support/site.js';

export const RECORDER = `<!doctype html>
<title>recorder</title>
<style>
  body { margin: 0; height: 4000px; width: 3000px; background: white }
  #field { position: fixed; left: 300px; top: 20px }
</style>
<textarea id="field"></textarea>
<script>
  window.events = [];
  const kinds = ['mousedown', 'mouseup', 'mousemove', 'click', 'auxclick', 'dblclick', 'contextmenu',
                 'wheel', 'keydown', 'keyup'];
  for (const kind of kinds) {
    addEventListener(kind, (event) => {
      if (kind === 'contextmenu') event.preventDefault();
      events.push({
        kind, x: event.clientX, y: event.clientY, button: event.button, key: event.key,
        held: ['ctrlKey', 'altKey', 'metaKey', 'shiftKey'].filter((name) => event[name]),
        across: event.deltaX, down: event.deltaY,
      });
    }, true);
  }
</script>
`;

const NO_SIGNAL = { signal: undefined };

/** Contexts with one page each, and a computer driver on the last one. */
class Desk {
  contexts = [];

  /** A new page that shows `body`, and a driver with these settings. */
  async open(body = RECORDER, { ratio = 1, size = [800, 600], ...settings } = {}) {
    const viewport = size && { width: size[0], height: size[1] };
    const context = await this.browser.newContext(
      viewport ? { viewport, deviceScaleFactor: ratio } : { viewport: null },
    );
    this.contexts.push(context);
    this.page = await context.newPage();
    this.site.pages.set('/desk', body);
    await this.page.goto(this.site.url('/desk'));
    this.driver = new PlaywrightComputerDriver(this.page, { settleMs: 0, waitMs: 0, ...settings });
  }

  /** Performs an action; what a method gives back is nothing. */
  async act(type, fields = {}, context = NO_SIGNAL) {
    assert.equal(await this.driver[type]({ type, ...fields }, context), undefined);
  }

  drag(points, fields = {}, context = NO_SIGNAL) {
    return this.act('drag', { path: points.map(([x, y]) => ({ x, y })), ...fields }, context);
  }

  /** The bytes of a screenshot. */
  async screenshot() {
    const shot = await this.driver.screenshot(NO_SIGNAL);
    assert.deepEqual(Object.keys(shot), ['type', 'image_url']);
    assert.equal(shot.type, 'computer_screenshot');
    const [head, data] = shot.image_url.split(',');
    assert.equal(head, 'data:image/png;base64');
    return Buffer.from(data, 'base64');
  }

  /** What the page wrote down, of these kinds. */
  async events(...kinds) {
    const events = await this.page.evaluate('events');
    return events.filter(({ kind }) => kinds.length === 0 || kinds.includes(kind));
  }

  forget() {
    return this.page.evaluate('void (events.length = 0)');
  }

  /** Keys in the order in which they went down (+) and up (-). */
  async keys() {
    const signs = { keydown: '+', keyup: '-' };
    return (await this.events('keydown', 'keyup')).map(({ kind, key }) => signs[kind] + key);
  }

  /** Lets the browser's events arrive until something holds. */
  async until(holds) {
    for (let round = 0; round < 200; round += 1) {
      if (await holds()) return;
      await this.page.waitForTimeout(25);
    }
    assert.fail('the expected event did not arrive');
  }
}

/** Registers the hooks of a test file; the object that it returns is ready within tests. */
export function useDesk() {
  const desk = new Desk();
  before(async () => {
    desk.site = await Site.open();
    desk.browser = await chromium.launch(launchOptions());
  });
  afterEach(async () => {
    for (const context of desk.contexts.splice(0)) await context.close();
  });
  after(async () => {
    await desk.browser?.close();
    await desk.site?.close();
  });
  return desk;
}

/** Fails with this code of the driver. */
export const refusal = (code) => (error) => {
  assert.equal(error.name, 'DriverError', String(error));
  assert.equal(error.code, code);
  return true;
};
