/** Screenshots of a Playwright page that the service accepts, and where on the page their pixels are. */

import { Buffer } from 'node:buffer';

import { DriverError } from '../errors.js';
import type { PlaywrightComputerPage } from './computer-page.js';
import { CoordinateMapping, fit, Picture, type Area } from './screen.js';

/** What is pictured, and how. */
export interface CaptureOptions {
  readonly scale: 'css' | 'device';
  readonly crop: Area | undefined;
  readonly maxSize: readonly [width: number, height: number] | undefined;
}

/** An encoded picture, and from its pixels to CSS pixels of the viewport. */
export interface Shot {
  readonly data: Uint8Array;
  readonly mapping: CoordinateMapping;
}

/** Chromium's own protocol, which other browsers do not have. */
interface DevtoolsContext {
  newCDPSession(page: object): Promise<DevtoolsSession>;
}

interface DevtoolsSession {
  send(method: string, params?: object): Promise<unknown>;
  detach(): Promise<void>;
}

const SCREENSHOT_TIMEOUT_MS = 10_000;
const VIEW = '[innerWidth, innerHeight, devicePixelRatio]';

/** @throws DriverError if there is nothing to picture, or if it is too large and cannot be made smaller. */
export async function capture(
  page: PlaywrightComputerPage,
  options: CaptureOptions,
): Promise<Shot> {
  const { area, ratio } = await viewOf(page, options);
  const [, , width, height] = area;
  const full = [Math.round(width * ratio), Math.round(height * ratio)] as const;
  const target = targetOf(full, options.maxSize);
  const isFull = target[0] === full[0] && target[1] === full[1];
  const data = isFull
    ? await shoot(page, area, options.scale)
    : await shootSmaller(page, area, target);
  const picture = Picture.read(data);
  // By the size that the picture says it has, whatever was asked for.
  return { data, mapping: new CoordinateMapping(area, [picture.width, picture.height]) };
}

/** The part of the viewport that is pictured, in CSS pixels, and the picture's pixels for one of them. */
async function viewOf(
  page: PlaywrightComputerPage,
  { scale, crop }: CaptureOptions,
): Promise<{ area: Area; ratio: number }> {
  let size = page.viewportSize();
  let ratio = 1;
  if (size === null || scale === 'device') {
    const [width, height, deviceRatio] = (await page.evaluate(VIEW)) as [number, number, number];
    size ??= { width, height };
    if (scale === 'device') ratio = deviceRatio;
  }
  const [left, top, wide, high] = crop ?? [0, 0, size.width, size.height];
  const [width, height] = [Math.min(wide, size.width - left), Math.min(high, size.height - top)];
  if (width < 1 || height < 1) {
    throw new DriverError('the crop is outside the viewport', 'crop_outside_viewport');
  }
  return { area: [left, top, width, height], ratio };
}

/** The size that the picture should have: within what the service accepts and what the caller wants. */
function targetOf(
  [width, height]: readonly [width: number, height: number],
  maxSize: CaptureOptions['maxSize'],
): [width: number, height: number] {
  const [mostWide, mostHigh] = maxSize ?? [width, height];
  const share = Math.min(1, mostWide / width, mostHigh / height);
  const side = (length: number): number => Math.max(1, Math.floor(length * share));
  return fit(side(width), side(height));
}

function shoot(
  page: PlaywrightComputerPage,
  [x, y, width, height]: Area,
  scale: 'css' | 'device',
): Promise<Uint8Array> {
  return page.screenshot({
    type: 'png',
    scale,
    clip: { x, y, width, height },
    // The caret shows where text will go, so it stays.
    caret: 'initial',
    timeout: SCREENSHOT_TIMEOUT_MS,
  });
}

/**
 * By the browser, not by a script in the page: the picture may show other sites, whose pixels the page may
 * not have.
 */
async function shootSmaller(
  page: PlaywrightComputerPage,
  [left, top, width, height]: Area,
  [targetWidth, targetHeight]: readonly [width: number, height: number],
): Promise<Uint8Array> {
  const session = await devtools(page);
  try {
    const metrics = await session.send('Page.getLayoutMetrics');
    const { pageX, pageY } = (metrics as { cssVisualViewport: { pageX: number; pageY: number } })
      .cssVisualViewport;
    // It takes places on the document, not in the viewport.
    const clip = {
      x: pageX + left,
      y: pageY + top,
      width,
      height,
      scale: Math.min(targetWidth / width, targetHeight / height),
    };
    const taken = await session.send('Page.captureScreenshot', { format: 'png', clip });
    return Buffer.from((taken as { data: string }).data, 'base64');
  } finally {
    await session.detach();
  }
}

async function devtools(page: PlaywrightComputerPage): Promise<DevtoolsSession> {
  try {
    return await (page.context() as DevtoolsContext).newCDPSession(page);
  } catch {
    throw new DriverError(
      'the screenshot is too large, and only Chromium can make it smaller',
      'screenshot_too_large',
    );
  }
}
