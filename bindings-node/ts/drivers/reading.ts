/** Members that look and change nothing. */

import { setTimeout as pause } from 'node:timers/promises';

import { BrowserError } from '../errors.js';
import type { BrowserArguments } from '../members.js';
import type { BrowserReadV1 } from '../types.js';
import type { InputImage } from '../wire.js';
import { ask } from './documents.js';
import type { ScreenshotOptions } from './playwright-types.js';
import { isTimeout, outsideViewport } from './refusals.js';
import { readReport } from './reports.js';
import type { Session } from './session.js';
import type { Steps } from './steps.js';
import type { Tab } from './tabs.js';

const SCREENSHOT_TIMEOUT_MS = 10_000;
const POLL_MS = 100;
/** A look at a large page takes its time; so long is the last one given, however little is left. */
const LAST_LOOK_MS = 500;

export async function readPage(
  session: Session,
  steps: Steps,
  args: BrowserArguments<'read_page'>,
): Promise<BrowserReadV1> {
  const tab = session.tab(args.tab_id);
  return readReport(await ask(session, steps, tab, 'read', { filter: args.filter }));
}

export async function getPageText(
  session: Session,
  steps: Steps,
  args: BrowserArguments<'get_page_text'>,
): Promise<BrowserReadV1> {
  return readReport(await ask(session, steps, session.tab(args.tab_id), 'text'));
}

export async function find(
  session: Session,
  steps: Steps,
  args: BrowserArguments<'find'>,
): Promise<BrowserReadV1> {
  const tab = session.tab(args.tab_id);
  return readReport(await ask(session, steps, tab, 'find', { query: args.query }));
}

/** Looks every 100 ms until the text is visible; white space counts as one space. */
export async function waitFor(
  session: Session,
  steps: Steps,
  args: BrowserArguments<'wait_for'>,
): Promise<void> {
  const tab = session.tab(args.tab_id);
  const deadline = performance.now() + args.timeout_ms;
  for (;;) {
    const look = Math.max(LAST_LOOK_MS, deadline - performance.now());
    const answer = await ask(session, steps, tab, 'shows', { text: args.text }, { timeout: look });
    if (answer['shown'] === true) return;
    const left = deadline - performance.now();
    if (left <= 0) throw new BrowserError('The text did not become visible in time.');
    await steps.take(() => pause(Math.min(POLL_MS, left)));
  }
}

export async function screenshot(
  session: Session,
  steps: Steps,
  args: BrowserArguments<'screenshot'>,
): Promise<InputImage> {
  return picture(steps, session.tab(args.tab_id), {});
}

export async function zoom(
  session: Session,
  steps: Steps,
  args: BrowserArguments<'zoom'>,
): Promise<InputImage> {
  const tab = session.tab(args.tab_id);
  const [left = 0, top = 0, right = 0, bottom = 0] = args.region;
  const view = await ask(session, steps, tab, 'viewport');
  if (right > Number(view['width']) || bottom > Number(view['height'])) throw outsideViewport(view);
  return picture(steps, tab, {
    clip: { x: left, y: top, width: right - left, height: bottom - top },
  });
}

async function picture(steps: Steps, tab: Tab, options: ScreenshotOptions): Promise<InputImage> {
  const fixed = { type: 'png', scale: 'css', timeout: SCREENSHOT_TIMEOUT_MS } as const;
  const image = await steps.take(async () => {
    try {
      return await tab.page.screenshot({ ...fixed, ...options });
    } catch (error) {
      throw new BrowserError(
        isTimeout(error) ? 'The page does not respond.' : 'No picture of this tab could be taken.',
      );
    }
  });
  const data = Buffer.from(image).toString('base64');
  return { type: 'input_image', image_url: `data:image/png;base64,${data}`, detail: 'original' };
}
