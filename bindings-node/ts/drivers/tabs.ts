/**
 * The tabs of a driver: ids that are never used twice, which one is active (B-30), and what was last
 * reported.
 */

import { BrowserError } from '../errors.js';
import type { PlaywrightHandle, PlaywrightPage } from './playwright-types.js';
import { pageChanged } from './refusals.js';

/** One page. */
export interface Tab<Page = PlaywrightPage> {
  /** The id that the model sees, for example `tab-3`. */
  readonly id: string;
  readonly page: Page;
  /** The title as last read, safe to report, and whether it lost its end. */
  title: string;
  titleCut: boolean;
  /** An object that holds the document whose title was last read; null if it was replaced since. */
  document: PlaywrightHandle | null;
  /** The page script in the current document, once it was needed. */
  script: PlaywrightHandle | null;
  /** The number that references of that document carry. */
  generation: number;
  /** Whether the page is at an address that this driver serves. */
  supported: boolean;
  /** Whether the page's process died. */
  crashed: boolean;
}

/** Open tabs in the order in which they were opened, and that in which they were last active. */
export class TabTable<Page = PlaywrightPage> {
  readonly tabs: Tab<Page>[] = [];
  readonly #recent: Tab<Page>[] = [];
  #issued = 0;

  get active(): Tab<Page> | undefined {
    return this.#recent.at(-1);
  }

  /** A new tab, behind the active one. */
  add(page: Page): Tab<Page> {
    this.#issued += 1;
    const tab: Tab<Page> = {
      id: `tab-${this.#issued}`,
      page,
      title: '',
      titleCut: false,
      document: null,
      script: null,
      generation: 0,
      supported: true,
      crashed: false,
    };
    this.tabs.push(tab);
    this.#recent.unshift(tab);
    return tab;
  }

  of(page: Page): Tab<Page> | undefined {
    return this.tabs.find((tab) => tab.page === page);
  }

  /** Makes a tab the active one; false if it was already. */
  activate(tab: Tab<Page>): boolean {
    if (this.active === tab) return false;
    drop(this.#recent, tab);
    this.#recent.push(tab);
    return true;
  }

  /** Removes a tab; returns the tab that is active instead, if that changed. */
  remove(tab: Tab<Page>): Tab<Page> | undefined {
    const wasActive = this.active === tab;
    drop(this.tabs, tab);
    drop(this.#recent, tab);
    return wasActive ? this.active : undefined;
  }

  /** The tab of an id, or the active one. Throws a BrowserError if there is none. */
  named(id: string | null): Tab<Page> {
    if (id === null) {
      if (this.active === undefined) {
        throw new BrowserError('No tab is open. Open one first.');
      }
      return this.active;
    }
    const tab = this.tabs.find((candidate) => candidate.id === id);
    if (tab === undefined) {
      throw new BrowserError(
        'No open tab has this id. Use an id from the current state, or null for the active tab.',
      );
    }
    return tab;
  }
}

/** What was last told: consent was given for that, so later actions are held to it (B-20). */
export class Report {
  /** The tab that a null `tab_id` stands for in actions. */
  active: Tab | undefined;
  /** For each tab its document, or null where that could not be read. */
  readonly #documents: Map<Tab, PlaywrightHandle | 'any' | null>;

  constructor(active: Tab | undefined, tabs: readonly Tab[]) {
    this.active = active;
    this.#documents = new Map(tabs.map((tab) => [tab, tab.document]));
  }

  has(tab: Tab): boolean {
    return this.#documents.has(tab);
  }

  /**
   * The document that an action must find in a tab; null if it may be any. Throws a BrowserError if it
   * is unknown which one was there.
   */
  document(tab: Tab): PlaywrightHandle | null {
    const document = this.#documents.get(tab) ?? null;
    if (document === null) throw pageChanged();
    return document === 'any' ? null : document;
  }

  /** The caller opened the tab or an address in it, and so expects another document. */
  allowAnyDocument(tab: Tab): void {
    this.#documents.set(tab, 'any');
  }
}

function drop<T>(list: T[], item: T): void {
  const index = list.indexOf(item);
  if (index >= 0) list.splice(index, 1);
}
