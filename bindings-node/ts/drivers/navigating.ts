/** Members that open addresses and handle tabs. */

import { addressProblem } from '../../native/native.js';
import { BrowserError } from '../errors.js';
import type { BrowserArguments } from '../members.js';
import { isTimeout, messageOf } from './refusals.js';
import type { Session } from './session.js';
import type { Steps } from './steps.js';
import type { Tab } from './tabs.js';

const LOAD_SLICE_MS = 250;

export async function navigate(
  session: Session,
  steps: Steps,
  args: BrowserArguments<'navigate'>,
): Promise<void> {
  check(session, args.url, session.reportedTab(args.tab_id).id);
  const tab = await session.navigableTab(steps, args.tab_id);
  await open(session, steps, tab, args.url);
}

export async function newTab(
  session: Session,
  steps: Steps,
  args: BrowserArguments<'new_tab'>,
): Promise<void> {
  if (args.url !== null) check(session, args.url, null);
  const tab = await session.openTab(steps);
  if (args.url !== null) await open(session, steps, tab, args.url);
}

export async function switchTab(
  session: Session,
  steps: Steps,
  args: BrowserArguments<'switch_tab'>,
): Promise<void> {
  const tab = session.reportedTab(args.tab_id);
  await session.bringToFront(steps, tab);
  session.expectActive(tab);
}

/** Closes a tab without asking the page. */
export async function closeTab(
  session: Session,
  steps: Steps,
  args: BrowserArguments<'close_tab'>,
): Promise<void> {
  const tab = session.reportedTab(args.tab_id);
  await session.closeTab(steps, tab);
}

function check(session: Session, url: string, tabId: string | null): void {
  const problem = addressProblem(url);
  if (problem === null) return;
  session.log.record({ type: 'navigation_refused', tab_id: tabId, reason: 'unsupported' });
  throw new BrowserError(problem);
}

async function open(session: Session, steps: Steps, tab: Tab, url: string): Promise<void> {
  const timeout = session.settings.navigationTimeoutMs;
  const deadline = performance.now() + timeout;
  const load = async (): Promise<void> => {
    try {
      await tab.page.goto(url, { waitUntil: 'commit', timeout });
    } catch (error) {
      throw isTimeout(error)
        ? new BrowserError('The address did not answer in time.')
        : explained(messageOf(error));
    }
  };
  await steps.take(load, () => session.stop(tab));
  session.expectDocument(tab);
  await loaded(steps, tab, deadline);
}

/** Waits for the document in slices, so that cancellation is noticed; a slow page is left to load on. */
async function loaded(steps: Steps, tab: Tab, deadline: number): Promise<void> {
  for (let left = deadline - performance.now(); left > 0; left = deadline - performance.now()) {
    const timeout = Math.min(LOAD_SLICE_MS, left);
    const isOver = await steps.take(async () => {
      try {
        await tab.page.waitForLoadState('domcontentloaded', { timeout });
        return true;
      } catch (error) {
        return !isTimeout(error);
      }
    });
    if (isOver) return;
  }
}

function explained(message: string): BrowserError {
  if (message.includes('Download is starting')) {
    return new BrowserError('The address starts a download, and downloads are blocked.');
  }
  if (message.includes('ERR_ABORTED')) {
    return new BrowserError(
      'The address was not opened: the page or the server did not allow leaving.',
    );
  }
  if (/has been closed|crash/i.test(message)) {
    return new BrowserError('The tab closed while the address was being opened.');
  }
  return new BrowserError('The address could not be opened.');
}
