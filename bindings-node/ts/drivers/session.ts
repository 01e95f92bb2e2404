/** What a Playwright driver knows between calls: its tabs, what happened in them, its settings. */

import { blankAddress, driverLimits, pageKind, safeTitle } from '../../native/native.js';
import { BrowserError } from '../errors.js';
import type { BrowserState } from '../types.js';
import { ObservationLog, dialogKind } from './observation.js';
import {
  type DevtoolsContext,
  type PlaywrightContext,
  type PlaywrightDialog,
  type PlaywrightDownload,
  type PlaywrightFrame,
  type PlaywrightHandle,
  type PlaywrightPage,
  listen,
} from './playwright-types.js';
import { isTimeout, pageChanged, tabCrashed } from './refusals.js';
import type { Steps } from './steps.js';
import { Report, type Tab, TabTable } from './tabs.js';

const BLANK = blankAddress();
const { tabs: TAB_LIMIT } = driverLimits();
const TITLE_TIMEOUT_MS = 1_000;
const STOP_TIMEOUT_MS = 1_000;

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
  report: Report | null = null;
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

  /**
   * A tab that can be read: the active one of this moment, if none is named. Throws a BrowserError if
   * there is none, it crashed, or it shows no page of a supported kind.
   */
  tab(id: string | null): Tab {
    return readable(living(this.tabs.named(id)));
  }

  /**
   * A tab that can be acted upon: the one that was last reported as active, if none is named. Throws as
   * `tab` does.
   */
  async actingTab(steps: Steps, id: string | null): Promise<Tab> {
    return readable(await this.navigableTab(steps, id));
  }

  /** As `actingTab`, whatever the tab shows. */
  async navigableTab(steps: Steps, id: string | null): Promise<Tab> {
    const tab = living(this.reportedTab(id));
    // A page opened a window since: what was asked for is still about the tab that was active before.
    if (id === null && tab !== this.tabs.active) await this.bringToFront(steps, tab);
    return tab;
  }

  /** A tab of the last report; any tab before the first one. Throws a BrowserError if there is none. */
  reportedTab(id: string | null): Tab {
    if (this.report === null) return this.tabs.named(id);
    if (id !== null) {
      const tab = this.tabs.named(id);
      if (!this.report.has(tab)) throw pageChanged();
      return tab;
    }
    const { active } = this.report;
    if (active !== undefined && this.tabs.tabs.includes(active)) return active;
    if (active === undefined && this.tabs.active === undefined) return this.tabs.named(null);
    throw pageChanged();
  }

  /**
   * The document that what depends on the page must find there; null if it may be any. Throws a
   * BrowserError if it is unknown which one was reported.
   */
  reportedDocument(tab: Tab): PlaywrightHandle | null {
    return this.report === null ? null : this.report.document(tab);
  }

  async openTab(steps: Steps): Promise<Tab> {
    const tab = this.#track(await steps.take(() => this.#context.newPage()));
    this.expectDocument(tab);
    this.expectActive(tab);
    this.activate(tab);
    return tab;
  }

  async closeTab(steps: Steps, tab: Tab): Promise<void> {
    await steps.take(() => tab.page.close());
    this.#closed(tab);
    const { report } = this;
    const { active } = this.tabs;
    if (report?.active === tab && active !== undefined && report.has(active))
      report.active = active;
  }

  async bringToFront(steps: Steps, tab: Tab): Promise<void> {
    await steps.take(async () => {
      try {
        await tab.page.bringToFront();
      } catch {
        throw new BrowserError('The tab could not be brought to the front.');
      }
    });
    this.activate(tab);
  }

  /** The caller itself made a tab the active one. */
  expectActive(tab: Tab): void {
    if (this.report !== null) this.report.active = tab;
  }

  /** The caller itself had another document opened in a tab. */
  expectDocument(tab: Tab): void {
    this.report?.allowAnyDocument(tab);
  }

  activate(tab: Tab): void {
    if (this.tabs.activate(tab)) this.log.record({ type: 'tab_switched', tab_id: tab.id });
  }

  async state(steps: Steps): Promise<BrowserState> {
    for (const tab of [...this.tabs.tabs]) await this.#readTitle(steps, tab);
    // Pages may have opened or closed while titles were read; from here on nothing waits.
    const { active, tabs } = this.tabs;
    this.report = new Report(active, tabs);
    return {
      tabs: tabs.map((tab) => ({
        id: tab.id,
        title: tab.supported ? tab.title : '',
        url: isShown(tab.page) ? tab.page.url() : BLANK,
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
    const title = await steps.take(() => titleOf(tab));
    if (title === null) return;
    const shown = this.settings.titleFilter?.(title) ?? title;
    [tab.title, tab.titleCut] = safeTitle(shown);
  }

  /** Tracks a page that was there before the driver: it is the starting point, not a change. */
  #admit(page: PlaywrightPage): void {
    const tab = this.tabs.add(page);
    tab.supported = isShown(page);
    this.tabs.activate(tab);
    this.#watch(tab);
  }

  #track(page: PlaywrightPage): Tab {
    const known = this.tabs.of(page);
    if (known !== undefined) return known;
    const alone = this.tabs.active === undefined;
    const tab = this.tabs.add(page);
    tab.supported = isShown(page);
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
    const kind = pageKind(frame.url());
    tab.supported = kind === 'shown';
    this.log.record({ type: 'navigation', tab_id: tab.id });
    // A failed load was no attempt to go elsewhere.
    if (kind === 'refused') {
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

/** Reads a title, and holds the document that it belongs to; null if it could not be read. */
async function titleOf(tab: Tab): Promise<string | null> {
  // Twice: the document that was held may have been replaced. A handle of it then fails, or, where the
  // browser keeps the window for the next document, it is another one.
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      const frame = tab.page.mainFrame();
      const limit = { timeout: TITLE_TIMEOUT_MS };
      tab.document ??= await frame.waitForFunction(shownDocument, null, limit);
      const handle = await frame.waitForFunction(shownTitle, tab.document as object, limit);
      const title = await handle.jsonValue();
      if (typeof title === 'string' && title.startsWith('=')) return title.slice(1);
    } catch (error) {
      // Busy: the last known title of this document still holds.
      if (isTimeout(error)) return null;
    }
    tab.document = null;
  }
  return null;
}

/**
 * Runs in the page. Within an object: with an element of a replaced document, Playwright tries until the
 * timeout instead of failing.
 */
function shownDocument(): unknown {
  return { document: (globalThis as unknown as { document: object }).document };
}

/**
 * Runs in the page. The accessor, not `document.title`: an image called "title" shadows that. Never
 * empty, because Playwright waits for a true value; waiting is what gives the call a timeout.
 */
function shownTitle(seen: { document?: object }): string {
  const { document, Document } = globalThis as unknown as {
    document: object;
    Document: { prototype: object };
  };
  if (seen.document !== document) return 'replaced';
  const accessor = Object.getOwnPropertyDescriptor(Document.prototype, 'title');
  return `=${String(accessor?.get?.call(document)).slice(0, 4096)}`;
}

function isShown(page: PlaywrightPage): boolean {
  return pageKind(page.url()) === 'shown';
}

function living(tab: Tab): Tab {
  if (tab.crashed) throw tabCrashed();
  return tab;
}

function readable(tab: Tab): Tab {
  if (!tab.supported) {
    throw new BrowserError('The tab shows no page: its address did not load or is unsupported.');
  }
  return tab;
}

/** For things that may already be over: a handled dialog, a closed page. */
async function quietly<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch {
    return undefined;
  }
}
