/**
 * A Playwright page as a screen for `ComputerToolset` (D-2, D-3).
 *
 * ```js
 * const browser = await chromium.launch();
 * const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
 * const toolset = new ComputerToolset(new PlaywrightComputerDriver(page));
 * ```
 */

import { setTimeout as sleep } from 'node:timers/promises';

import { driverLimits } from '../../native/native.js';
import type { ComputerAction, ComputerDriver, ComputerScreenshot } from '../computer-types.js';
import { ConfigurationError, DriverError } from '../errors.js';
import type { ExecutionContext } from '../types.js';
import { capture, type CaptureOptions } from './capture.js';
import type { PlaywrightComputerPage } from './computer-page.js';
import { dragging, holding, press, typing, type Hand, type Point } from './screen-input.js';
import { dataUrl, type Area, type CoordinateMapping } from './screen.js';

export type { PlaywrightComputerPage } from './computer-page.js';

/** Settings of the driver. Times are in milliseconds. */
export interface PlaywrightComputerOptions {
  /** The pixels of a screenshot: one for each CSS pixel (`css`, the default), or those of the device. */
  scale?: 'css' | 'device' | undefined;
  /** The part of the viewport that is shown: left, top, width, height in whole CSS pixels. */
  crop?: Area | undefined;
  /**
   * What a screenshot is scaled down to: width, height. 1440 x 900 and 1600 x 900 work well. Only Chromium
   * can do that. Beyond what the service accepts it is done in any case.
   */
  maxSize?: readonly [width: number, height: number] | undefined;
  /** How long `wait` waits: 0 … 30000, 1000 if not given. */
  waitMs?: number | undefined;
  /** How long the page is given to react to an action: 0 … 30000, 100 if not given. */
  settleMs?: number | undefined;
  /** How long one step of input may take: 1 … 120000, 20000 if not given. */
  stepMs?: number | undefined;
}

type Signal = AbortSignal | undefined;

const NAVIGATION_TIMEOUT_MS = 20_000;
const LOAD_TIMEOUT_MS = 2_000;
/** The range of `stepMs`, which this face alone has. */
const STEP_MS = [1, 120_000] as const;
const BUTTONS = { left: 'left', right: 'right', wheel: 'middle' } as const;

/**
 * Shows a page as a screen. The model sees the viewport and acts by the pixels of the last screenshot;
 * points outside of it are refused. Before the first one they are meant in that which would be taken.
 *
 * Keys are named as models name them (see `chord` in `swingbridge/drivers/screen`). Keys that an action
 * holds and the button of a drag are let go of in reverse order, also after an error or an abort. The
 * buttons `back` and `forward` go through the history; `wheel` is the middle button. What cannot be done
 * throws a `DriverError`, or Playwright's own error, and ends the call. An abort counts between steps.
 *
 * The page stays the caller's: links that open another page are out of the model's sight, and the driver
 * restricts neither where the page goes nor what it loads. Give its context a network policy.
 */
export class PlaywrightComputerDriver implements ComputerDriver {
  readonly #page: PlaywrightComputerPage;
  readonly #picture: CaptureOptions;
  readonly #waitMs: number;
  readonly #settleMs: number;
  readonly #stepMs: number;
  /** Of the last screenshot. */
  #mapping: CoordinateMapping | undefined;

  /** @throws ConfigurationError (a TypeError) for a setting out of its range. */
  constructor(page: PlaywrightComputerPage, options: PlaywrightComputerOptions = {}) {
    const { scale = 'css', crop, maxSize } = options;
    check(scale === 'css' || scale === 'device', 'scale must be css or device');
    checkCrop(crop);
    check(!maxSize || (maxSize[0] >= 1 && maxSize[1] >= 1), 'maxSize must be a width and a height');
    this.#page = page;
    this.#picture = { scale, crop, maxSize };
    const pauses = driverLimits().pause;
    this.#waitMs = milliseconds('waitMs', options.waitMs ?? 1_000, pauses);
    this.#settleMs = milliseconds('settleMs', options.settleMs ?? 100, pauses);
    this.#stepMs = milliseconds('stepMs', options.stepMs ?? 20_000, STEP_MS);
  }

  /** Clicks a point with a button, keys held; or goes back or forward. */
  async click(action: ComputerAction.Click, { signal }: ExecutionContext): Promise<void> {
    const { mouse } = this.#page;
    const [x, y] = await this.#point(action, signal);
    const { button, keys } = action;
    // The buttons at the side of a mouse; Playwright has none, and this is what browsers do for them.
    if (button === 'back' || button === 'forward') return this.#turnPage(button, keys, signal);
    const hand = this.#hand(signal);
    await holding(hand, this.#page.keyboard, keys, () =>
      hand.step(() => mouse.click(x, y, { button: BUTTONS[button] })),
    );
    await this.#settle(signal);
  }

  /** Clicks a point twice, keys held. */
  async double_click(
    action: ComputerAction.DoubleClick,
    { signal }: ExecutionContext,
  ): Promise<void> {
    const { keyboard, mouse } = this.#page;
    const [x, y] = await this.#point(action, signal);
    const hand = this.#hand(signal);
    await holding(hand, keyboard, action.keys, () =>
      hand.step(() => mouse.click(x, y, { clickCount: 2 })),
    );
    await this.#settle(signal);
  }

  /** Moves along two points or more with the left button pressed, keys held. */
  async drag(action: ComputerAction.Drag, { signal }: ExecutionContext): Promise<void> {
    const { keyboard, mouse } = this.#page;
    const points: Point[] = [];
    // The whole path is checked before anything is pressed.
    for (const point of action.path) points.push(await this.#point(point, signal));
    const [start, ...rest] = points;
    if (start === undefined || rest.length === 0) {
      throw new DriverError('a drag needs two points or more', 'drag_path_too_short');
    }
    const hand = this.#hand(signal);
    await holding(hand, keyboard, action.keys, () => dragging(hand, mouse, [start, ...rest]));
    await this.#settle(signal);
  }

  /** Presses a chord: keys down in order, up in reverse. */
  async keypress(action: ComputerAction.Keypress, { signal }: ExecutionContext): Promise<void> {
    await press(this.#hand(signal), this.#page.keyboard, action.keys);
    await this.#settle(signal);
  }

  /** Moves the pointer, keys held. */
  async move(action: ComputerAction.Move, { signal }: ExecutionContext): Promise<void> {
    const { keyboard, mouse } = this.#page;
    const [x, y] = await this.#point(action, signal);
    const hand = this.#hand(signal);
    await holding(hand, keyboard, action.keys, () => hand.step(() => mouse.move(x, y)));
  }

  /** Turns the wheel at a point, keys held. Distances are pixels of the screenshot. */
  async scroll(action: ComputerAction.Scroll, { signal }: ExecutionContext): Promise<void> {
    const { keyboard, mouse } = this.#page;
    const [x, y] = await this.#point(action, signal);
    const { area, picture } = await this.#shown(signal);
    const across = (action.scroll_x * area[2]) / picture[0];
    const down = (action.scroll_y * area[3]) / picture[1];
    const hand = this.#hand(signal);
    await holding(hand, keyboard, action.keys, async () => {
      await hand.step(() => mouse.move(x, y));
      await hand.step(() => mouse.wheel(across, down));
    });
    await this.#settle(signal);
  }

  /** Types text where the focus is; line breaks press Enter. */
  async type(
    action: ComputerAction.Type & { keys?: string[] | null },
    { signal }: ExecutionContext,
  ): Promise<void> {
    const { keyboard } = this.#page;
    const hand = this.#hand(signal);
    await holding(hand, keyboard, action.keys, () => typing(hand, keyboard, action.text));
    await this.#settle(signal);
  }

  /** Waits for `waitMs`. */
  async wait(
    action: ComputerAction.Wait & { keys?: string[] | null },
    { signal }: ExecutionContext,
  ): Promise<void> {
    const hand = this.#hand(signal);
    await holding(hand, this.#page.keyboard, action.keys, () => pause(this.#waitMs, signal));
  }

  /** Takes a picture of the viewport; from now on points are meant in its pixels. */
  async screenshot({ signal }: ExecutionContext): Promise<ComputerScreenshot> {
    signal?.throwIfAborted();
    const { data, mapping } = await capture(this.#page, this.#picture);
    const image_url = dataUrl(data);
    this.#mapping = mapping;
    return { type: 'computer_screenshot', image_url };
  }

  /** From the pixels of the screenshot that the model saw; without one, of the screen as it is. */
  async #shown(signal: Signal): Promise<CoordinateMapping> {
    signal?.throwIfAborted();
    this.#mapping ??= (await capture(this.#page, this.#picture)).mapping;
    return this.#mapping;
  }

  async #point({ x, y }: { x: number; y: number }, signal: Signal): Promise<Point> {
    return (await this.#shown(signal)).toScreen(x, y);
  }

  async #turnPage(
    button: 'back' | 'forward',
    keys: readonly string[] | null | undefined,
    signal: Signal,
  ): Promise<void> {
    if (keys && keys.length > 0) {
      const words = 'keys cannot be held while going back or forward';
      throw new DriverError(words, 'button_with_keys_unsupported');
    }
    signal?.throwIfAborted();
    const options = { timeout: NAVIGATION_TIMEOUT_MS, waitUntil: 'domcontentloaded' } as const;
    if (button === 'back') await this.#page.goBack(options);
    else await this.#page.goForward(options);
  }

  #hand(signal: Signal): Hand {
    const release = (call: () => Promise<void>): Promise<void> => within(this.#stepMs, call);
    const step = async (call: () => Promise<void>): Promise<void> => {
      signal?.throwIfAborted();
      await release(call);
    };
    return { step, release };
  }

  /** Gives the page a moment to react, and a navigation that began a moment to show its document. */
  async #settle(signal: Signal): Promise<void> {
    await pause(this.#settleMs, signal);
    const options = { timeout: LOAD_TIMEOUT_MS };
    await this.#page.waitForLoadState('domcontentloaded', options).catch(() => undefined);
  }
}

async function pause(duration: number, signal: Signal): Promise<void> {
  signal?.throwIfAborted();
  if (duration === 0) return;
  try {
    await sleep(duration, undefined, signal && { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** The mouse and the keyboard of a page have no limit of their own, and a page may hang. */
async function within(duration: number, call: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    const late = new DriverError('the page did not take the input in time', 'input_timeout');
    timer = setTimeout(reject, duration, late);
  });
  try {
    await Promise.race([call(), limit]);
  } finally {
    clearTimeout(timer);
  }
}

function checkCrop(crop: Area | undefined): void {
  // Whole pixels: browsers round the others, each in its own way.
  const isGood = ([left, top, width, height]: Area): boolean =>
    [left, top, width, height].every(Number.isSafeInteger) &&
    Math.min(left, top) >= 0 &&
    Math.min(width, height) >= 1;
  const words = 'crop must be left, top, width and height in whole pixels, with a size';
  check(crop === undefined || isGood(crop), words);
}

function milliseconds(name: string, value: number, limits: readonly [number, number]): number {
  const [least, most] = limits;
  const isGood = Number.isInteger(value) && value >= least && value <= most;
  check(isGood, `${name} must be a whole number from ${least} to ${most}`);
  return value;
}

function check(isGood: boolean, words: string): void {
  if (!isGood) throw new ConfigurationError(words, 'driver_option_invalid');
}
