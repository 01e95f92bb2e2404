/** A real Chromium, and a fresh context with a driver on it for each test. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { after, afterEach, before, beforeEach } from 'node:test';

import { chromium } from 'playwright-core';
import { BrowserError } from 'swingbridge';
import { PlaywrightBrowserDriver } from 'swingbridge/drivers/playwright';

import { Site } from './site.js';

/** Pages and expectations are those of the Python tests. */
export const PAGES = new URL('../../../tests-py/drivers/pages/', import.meta.url);

/** How to launch Chromium here: SWINGBRIDGE_CHROMIUM, the system's, or Playwright's own. */
export function launchOptions() {
  const named = process.env.SWINGBRIDGE_CHROMIUM;
  const system = existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : undefined;
  const executablePath = named || system;
  return {
    args: ['--disable-gpu'],
    // Chromium refuses its sandbox to root; anyone else keeps it.
    chromiumSandbox: process.getuid?.() !== 0,
    ...(executablePath === undefined ? {} : { executablePath }),
  };
}

export class Rig {
  constructor(browser, site, otherSite) {
    this.browser = browser;
    this.site = site;
    this.otherSite = otherSite;
  }

  async start(options) {
    this.context = await this.browser.newContext({ viewport: { width: 800, height: 600 } });
    this.page = await this.context.newPage();
    this.driver = new PlaywrightBrowserDriver(this.context, options);
  }

  /** Calls a member, with `tab_id` null unless it is named. */
  call(member, args = {}, signal = undefined) {
    const full = member === 'new_tab' ? args : { tab_id: null, ...args };
    return this.driver[member](full, { signal });
  }

  state() {
    return this.driver.state({ signal: undefined });
  }

  /** Changes since a sequence number, without their numbers. */
  async changes(from = 0) {
    const { observation } = await this.state();
    return observation.changes
      .filter(({ sequence }) => sequence > from)
      .map(({ sequence: _sequence, ...change }) => change);
  }

  /** Lets the browser's events arrive until something holds. */
  async until(holds) {
    for (let round = 0; round < 200; round += 1) {
      if (await holds()) return;
      await this.page.waitForTimeout(25);
    }
    assert.fail('the expected event did not arrive');
  }

  /** Serves `body` and navigates to it. */
  async open(body, path = '/page') {
    this.site.pages.set(path, body);
    await this.call('navigate', { url: this.site.url(path) });
  }

  serveSharedPages() {
    for (const name of readdirSync(PAGES)) {
      if (!name.endsWith('.html')) continue;
      const text = readFileSync(new URL(name, PAGES), 'utf8');
      const html = text.replaceAll('{{other}}', this.otherSite.origin);
      for (const site of [this.site, this.otherSite]) site.pages.set(`/${name}`, html);
    }
  }

  read(filter = 'all') {
    return this.call('read_page', { filter });
  }

  /** The reference of the only control with this label. */
  async ref(label) {
    const { elements } = await this.read();
    const found = elements.filter((element) => element.label === label);
    assert.equal(found.length, 1, `${found.length} controls are labelled ${label}`);
    return found[0].ref;
  }

  /** Expects a BrowserError with these words. */
  async refuses(words, member, args) {
    await assert.rejects(this.call(member, args), (error) => {
      assert.ok(error instanceof BrowserError, String(error));
      assert.match(error.message, words);
      return true;
    });
  }
}

/** Registers the hooks of a test file; the object that it returns is ready within tests. */
export function useRig() {
  const rig = new Rig();
  before(async () => {
    rig.site = await Site.open();
    rig.otherSite = await Site.open();
    rig.browser = await chromium.launch(launchOptions());
  });
  beforeEach(() => rig.start());
  afterEach(() => rig.context.close());
  after(async () => {
    await rig.browser?.close();
    await rig.site?.close();
    await rig.otherSite?.close();
  });
  return rig;
}
