/** What a Playwright driver knows between calls: its tabs, what happened in them, its settings. */

import { BrowserError } from '../errors.js';
import type { BrowserState } from '../types.js';
import { BLANK, isSupported, safeTitle } from './addresses.js';
import { ObservationLog, dialogKind } from './observation.js';
import {
  type DevtoolsContext,
  type PlaywrightContext,
  type PlaywrightDialog,
  type PlaywrightDownload,
  type PlaywrightFrame,
  type PlaywrightPage,
  listen,
} from './playwright-types.js';
import { tabCrashed } from './refusals.js';
import type { Steps } from './steps.js';
import { type Tab, TabTable } from './tabs.js';

/** A page opens windows as it likes; a person would not follow more than this. */
const TAB_LIMIT = 32;
const TITLE_TIMEOUT_MS = 1_000;
const STOP_TIMEOUT_MS = 1_000;

// The accessor, not `document.title`: an image called "title" shadows that. Never empty, because
// Playwright waits for a true value; waiting is what gives the call a timeout.
const TITLE =
  "'=' + Object.getOwnPropertyDescriptor(Document.prototype, 'title').get.call(document).slice(0, 4096)";
const STOP = '(window.stop(), true)';

/** Settings with their defaults; see PlaywrightDriverOptions. */
export interface Settings {
  reportValues: boolean;
  actionTimeoutMs: number;
  navigationTimeoutMs: number;
  titleFilter: ((title: string) => string) | undefined;
}

/**
 * Tracks the pages of a BrowserContext, or one Page and the popups that it leads to. Both stay the
 * caller's; `detach` removes all listeners.
 */
export class Session {
  readonly settings: Settings;
  readonly tabs = new TabTable();
  readonly log = new ObservationLog();
  generations = 0;
  readonly #context: PlaywrightContext;
  #listeners: { page: PlaywrightPage | null; remove: () => void }[] = [];

  constructor(source: PlaywrightContext | PlaywrightPage, settings: Settings) {
    this.settings = settings;
    if ('mainFrame' in source) {
      this.#context = source.context();
      this.#admit(source);
      return;
    }
    this.#context = source;
    for (const page of source.pages()) this.#admit(page);
    const remove = listen(source, 'page', (page) => void this.#track(page));
    this.#listeners.push({ page: null, remove });
  }

  /** Stops listening. Pages and context stay as they are. */
  detach(): void {
    for (const { remove } of this.#listeners) remove();
    this.#listeners = [];
  }

  /** A tab that can be read and acted upon. Throws a BrowserError otherwise. */
  tab(id: string | null): Tab {
    const tab = this.livingTab(id);
    if (!tab.supported) {
      throw new BrowserError('The tab shows no page: its address did not load or is unsupported.');
    }
    return tab;
  }

  /** A tab that can be navigated. Throws a BrowserError otherwise. */
  livingTab(id: string | null): Tab {
    const tab = this.tabs.named(id);
    if (tab.crashed) throw tabCrashed();
    return tab;
  }

  async openTab(steps: Steps): Promise<Tab> {
    const tab = this.#track(await steps.take(() => this.#context.newPage()));
    this.activate(tab);
    return tab;
  }

  async closeTab(steps: Steps, tab: Tab): Promise<void> {
    await steps.take(() => tab.page.close());
    this.#closed(tab);
  }

  activate(tab: Tab): void {
    if (this.tabs.activate(tab)) this.log.record({ type: 'tab_switched', tab_id: tab.id });
  }

  async state(steps: Steps): Promise<BrowserState> {
    for (const tab of [...this.tabs.tabs]) await this.#readTitle(steps, tab);
    // Pages may have opened or closed while titles were read; from here on nothing waits.
    const { active, tabs } = this.tabs;
    return {
      tabs: tabs.map((tab) => ({
        id: tab.id,
        title: tab.supported ? tab.title : '',
        url: isSupported(tab.page.url()) ? tab.page.url() : BLANK,
        active: tab === active,
      })),
      observation: this.log.report(tabs.some((tab) => tab.titleCut && tab.supported)),
    };
  }

  /** Ends loading, as the stop button does. Only Chromium stops before a server has answered. */
  async stop(tab: Tab): Promise<void> {
    try {
      const context = this.#context as unknown as DevtoolsContext;
      const devtools = await context.newCDPSession(tab.page);
      await devtools.send('Page.stopLoading');
      await devtools.detach();
    } catch {
      const limit = { timeout: STOP_TIMEOUT_MS };
      await quietly(tab.page.mainFrame().waitForFunction(STOP, undefined, limit));
    }
  }

  async #readTitle(steps: Steps, tab: Tab): Promise<void> {
    if (tab.crashed || !tab.supported) return;
    const limit = { timeout: TITLE_TIMEOUT_MS };
    // Busy or closing: the last known title of this document still holds.
    const title = await steps.take(() =>
      quietly(
        tab.page
          .mainFrame()
          .waitForFunction(TITLE, undefined, limit)
          .then((handle) => handle.jsonValue()),
      ),
    );
    if (typeof title !== 'string' || !title.startsWith('=')) return;
    const shown = this.settings.titleFilter?.(title.slice(1)) ?? title.slice(1);
    const safe = safeTitle(shown);
    tab.title = safe.title;
    tab.titleCut = safe.cut;
  }

  /** Tracks a page that was there before the driver: it is the starting point, not a change. */
  #admit(page: PlaywrightPage): void {
    const tab = this.tabs.add(page);
    tab.supported = isSupported(page.url());
    this.tabs.activate(tab);
    this.#watch(tab);
  }

  #track(page: PlaywrightPage): Tab {
    const known = this.tabs.of(page);
    if (known !== undefined) return known;
    const alone = this.tabs.active === undefined;
    const tab = this.tabs.add(page);
    tab.supported = isSupported(page.url());
    this.log.record({ type: 'tab_opened', tab_id: tab.id });
    if (alone) this.log.record({ type: 'tab_switched', tab_id: tab.id });
    this.#watch(tab);
    return tab;
  }

  #watch(tab: Tab): void {
    const { page } = tab;
    const removers = [
      listen(page, 'popup', (popup) => this.#popup(tab, popup)),
      listen(page, 'framenavigated', (frame) => this.#navigated(tab, frame)),
      listen(page, 'dialog', (dialog) => this.#dialog(tab, dialog)),
      listen(page, 'download', (download) => this.#download(tab, download)),
      listen(page, 'crash', () => void (tab.crashed = true)),
      listen(page, 'close', () => this.#closed(tab)),
    ];
    this.#listeners.push(...removers.map((remove) => ({ page, remove })));
  }

  #popup(opener: Tab, popup: PlaywrightPage): void {
    if (popup.isClosed()) return;
    const tab = this.#track(popup);
    if (this.tabs.tabs.length > TAB_LIMIT) {
      this.log.record({ type: 'navigation_refused', tab_id: opener.id, reason: 'policy' });
      void quietly(popup.close());
    } else if (this.tabs.active === opener) this.activate(tab);
  }

  #navigated(tab: Tab, frame: PlaywrightFrame): void {
    if (frame.parentFrame() !== null || this.tabs.of(tab.page) === undefined) return;
    tab.title = '';
    tab.titleCut = false;
    tab.supported = isSupported(frame.url());
    this.log.record({ type: 'navigation', tab_id: tab.id });
    // The browser's own error page counts as a failed load, not as an attempt to go elsewhere.
    if (!tab.supported && !frame.url().startsWith('chrome-error:')) {
      this.log.record({ type: 'navigation_refused', tab_id: tab.id, reason: 'unsupported' });
    }
  }

  #dialog(tab: Tab, dialog: PlaywrightDialog): void {
    const kind = dialogKind(dialog.type());
    this.log.record({ type: 'dialog_dismissed', tab_id: tab.id, kind });
    void quietly(dialog.dismiss());
  }

  #download(tab: Tab, download: PlaywrightDownload): void {
    this.log.record({ type: 'download', tab_id: tab.id, status: 'blocked' });
    void quietly(download.cancel());
  }

  #closed(tab: Tab): void {
    if (!this.tabs.tabs.includes(tab)) return;
    const successor = this.tabs.remove(tab);
    this.log.record({ type: 'tab_closed', tab_id: tab.id });
    if (successor !== undefined) {
      this.log.record({ type: 'tab_switched', tab_id: successor.id });
    }
    tab.script = null;
    this.#listeners = this.#listeners.filter(({ page }) => page !== tab.page);
  }
}

/** For things that may already be over: a handled dialog, a closed page. */
async function quietly<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch {
    return undefined;
  }
}
