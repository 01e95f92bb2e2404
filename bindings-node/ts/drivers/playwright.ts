/** The Playwright browser driver (D-1). */

import { driverLimits } from '../../native/native.js';
import type { BrowserArguments as Arguments } from '../members.js';
import type { BrowserReadV1, BrowserState, ExecutionContext } from '../types.js';
import type { InputImage } from '../wire.js';
import * as acting from './acting.js';
import * as navigating from './navigating.js';
import type { PlaywrightContext, PlaywrightPage } from './playwright-types.js';
import * as reading from './reading.js';
import { Session, type Settings } from './session.js';
import { Steps } from './steps.js';

export type { PlaywrightContext, PlaywrightPage } from './playwright-types.js';

/** The call's own context: its signal is asked before each call to the browser. */
type Context = Partial<ExecutionContext>;

export interface PlaywrightDriverOptions {
  /** Whether reads tell what non-private fields hold. Default true. */
  reportValues?: boolean | undefined;
  /** Limit for one click, entry or key press, 1 to 60,000. Default 5,000. */
  actionTimeoutMs?: number | undefined;
  /** Limit for opening an address, 1 to 60,000. Default 20,000. */
  navigationTimeoutMs?: number | undefined;
  /**
   * Takes a page title and returns what may be reported of it. Afterwards addresses are cut to their
   * host and mail addresses masked in any case.
   */
  titleFilter?: ((title: string) => string) | undefined;
}

/**
 * Drives pages of Playwright; hand it to `BrowserToolset`.
 *
 * ```js
 * const browser = await chromium.launch();
 * const context = await browser.newContext({ acceptDownloads: false });
 * await context.newPage();
 * const driver = new PlaywrightBrowserDriver(context);
 * const toolset = new BrowserToolset(driver, { confirm, urlPolicy });
 * ```
 *
 * Every method takes the validated arguments of its member, and `{ signal }`. All waiting is bounded;
 * an aborted signal ends an operation between two steps, and ends the loading of an address. A problem
 * that the model can solve is thrown as `BrowserError`, without text of the page.
 *
 * Dialogs are dismissed and downloads cancelled, both reported by `state`. Popups become tabs, and
 * active ones if the tab that opened them was. Only http(s) addresses and `about:blank` are opened and
 * read. The driver restricts neither redirects nor what pages load: give the context a network policy.
 * Its pages stay the caller's.
 *
 * An action is held to the last `state` (B-20): a null `tab_id` is the tab that was reported as active,
 * and what acts at the focus, at a point or by scrolling is refused once the tab shows another document.
 * So a window that a page opens, or a place that it goes to, while a person decides gets nothing. Reads
 * see what is there now. A call of the driver itself (`navigate`, `new_tab`, `switch_tab`) also counts;
 * before the first `state` nothing is checked. The check comes right before the input, and again for
 * every 100 characters and every key press; a page that goes elsewhere in between can still get the rest
 * of that piece.
 */
export class PlaywrightBrowserDriver {
  readonly #session: Session;

  /**
   * `source` is a BrowserContext, all of whose pages are tabs, or a Page, which is tracked with its
   * popups alone. Throws a RangeError for a limit out of range.
   */
  constructor(source: PlaywrightContext | PlaywrightPage, options: PlaywrightDriverOptions = {}) {
    this.#session = new Session(source, settingsOf(options));
  }

  /** Stops listening to the browser. Nothing is closed. */
  detach(): void {
    this.#session.detach();
  }

  /** Tabs, titles, addresses and the V1 observation of what happened (B-30, B-33). */
  async state(context: Context = {}): Promise<BrowserState> {
    return this.#session.state(new Steps(context.signal));
  }

  /** Opens an http(s) address or `about:blank` and waits until its document is there. */
  async navigate(args: Arguments<'navigate'>, context: Context = {}): Promise<void> {
    return navigating.navigate(this.#session, new Steps(context.signal), args);
  }

  /** Reads visible text and controls; `interactive` leaves the text out (B-41). */
  async read_page(args: Arguments<'read_page'>, context: Context = {}): Promise<BrowserReadV1> {
    return reading.readPage(this.#session, new Steps(context.signal), args);
  }

  /** Reads the visible text, up to 256 KiB. */
  async get_page_text(
    args: Arguments<'get_page_text'>,
    context: Context = {},
  ): Promise<BrowserReadV1> {
    return reading.getPageText(this.#session, new Steps(context.signal), args);
  }

  /** Looks for controls and lines of text that match words. */
  async find(args: Arguments<'find'>, context: Context = {}): Promise<BrowserReadV1> {
    return reading.find(this.#session, new Steps(context.signal), args);
  }

  /** Clicks the element of a reference. */
  async click(args: Arguments<'click'>, context: Context = {}): Promise<void> {
    return acting.click(this.#session, new Steps(context.signal), args);
  }

  /** Replaces what the control of a reference holds; without one, types at the focus. */
  async type(args: Arguments<'type'>, context: Context = {}): Promise<void> {
    return acting.type(this.#session, new Steps(context.signal), args);
  }

  /** Presses a key combination where the focus is, such as `['Control', 'A']`. */
  async key(args: Arguments<'key'>, context: Context = {}): Promise<void> {
    return acting.key(this.#session, new Steps(context.signal), args);
  }

  /** Scrolls the page, or the box in the middle of it, by CSS pixels. */
  async scroll(args: Arguments<'scroll'>, context: Context = {}): Promise<string> {
    return acting.scroll(this.#session, new Steps(context.signal), args);
  }

  /** Scrolls until the element of a reference is in view. */
  async scroll_to(args: Arguments<'scroll_to'>, context: Context = {}): Promise<void> {
    return acting.scrollTo(this.#session, new Steps(context.signal), args);
  }

  /** Waits until text is visible, white space counting as one space. */
  async wait_for(args: Arguments<'wait_for'>, context: Context = {}): Promise<void> {
    return reading.waitFor(this.#session, new Steps(context.signal), args);
  }

  /** Selects options by value, or by label where no value fits. */
  async select_option(args: Arguments<'select_option'>, context: Context = {}): Promise<void> {
    return acting.selectOption(this.#session, new Steps(context.signal), args);
  }

  /** Sets a checkbox or radio button; nothing happens when it is set already. */
  async set_checked(args: Arguments<'set_checked'>, context: Context = {}): Promise<void> {
    return acting.setChecked(this.#session, new Steps(context.signal), args);
  }

  /** Moves the pointer over the element of a reference. */
  async hover(args: Arguments<'hover'>, context: Context = {}): Promise<void> {
    return acting.hover(this.#session, new Steps(context.signal), args);
  }

  /** Takes a picture of the viewport, one image pixel for one CSS pixel. */
  async screenshot(args: Arguments<'screenshot'>, context: Context = {}): Promise<InputImage> {
    return reading.screenshot(this.#session, new Steps(context.signal), args);
  }

  /** Takes a picture of a region of the viewport, given in CSS pixels. */
  async zoom(args: Arguments<'zoom'>, context: Context = {}): Promise<InputImage> {
    return reading.zoom(this.#session, new Steps(context.signal), args);
  }

  /** Opens a tab, at an address if there is one, and makes it active. */
  async new_tab(args: Arguments<'new_tab'>, context: Context = {}): Promise<void> {
    return navigating.newTab(this.#session, new Steps(context.signal), args);
  }

  /** Makes a tab the active one. */
  async switch_tab(args: Arguments<'switch_tab'>, context: Context = {}): Promise<void> {
    return navigating.switchTab(this.#session, new Steps(context.signal), args);
  }

  /** Closes a tab; the one that was active before it becomes active. */
  async close_tab(args: Arguments<'close_tab'>, context: Context = {}): Promise<void> {
    return navigating.closeTab(this.#session, new Steps(context.signal), args);
  }

  /** Clicks a point of the viewport, in CSS pixels, with modifiers held. */
  async click_at(args: Arguments<'click_at'>, context: Context = {}): Promise<void> {
    return acting.clickAt(this.#session, new Steps(context.signal), args);
  }

  /** Moves the pointer to a point of the viewport, in CSS pixels. */
  async hover_at(args: Arguments<'hover_at'>, context: Context = {}): Promise<void> {
    return acting.hoverAt(this.#session, new Steps(context.signal), args);
  }
}

function settingsOf(options: PlaywrightDriverOptions): Settings {
  return {
    reportValues: options.reportValues ?? true,
    actionTimeoutMs: limit('actionTimeoutMs', options.actionTimeoutMs ?? 5_000),
    navigationTimeoutMs: limit('navigationTimeoutMs', options.navigationTimeoutMs ?? 20_000),
    titleFilter: options.titleFilter,
  };
}

function limit(name: string, value: number): number {
  const [least, most] = driverLimits().pageTimeout;
  if (!(value >= least && value <= most)) {
    throw new RangeError(`${name} must be between ${least} and ${most}`);
  }
  return value;
}
