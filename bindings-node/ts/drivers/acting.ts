/**
 * Members that use controls, keys and the pointer. Each resolves its reference at the moment of
 * action and acts on that very element, never on a selector or a remembered position. What has no
 * reference (the focus, a point, scrolling) is bound to the document that was last reported.
 */

import { BrowserError } from '../errors.js';
import type { BrowserArguments } from '../members.js';
import { aimedElement, ask, elementOf, focusedElement } from './documents.js';
import { keyPresses } from './keys.js';
import type { Limit, PlaywrightElement } from './playwright-types.js';
import { isTimeout, messageOf, outsideViewport, reasonError } from './refusals.js';
import type { Answer } from './reports.js';
import type { Session } from './session.js';
import type { Steps } from './steps.js';
import type { Tab } from './tabs.js';

const SETTLE_TIMEOUT_MS = 2_000;
const TYPED_AT_ONCE = 100;

export async function click(
  session: Session,
  steps: Steps,
  args: BrowserArguments<'click'>,
): Promise<void> {
  const tab = await session.actingTab(steps, args.tab_id);
  const element = await elementOf(steps, tab, args.target, 'use');
  await act(session, steps, (limit) => element.click(limit));
  await settle(steps, tab);
}

/** Replaces what a control holds; without a target, types at the focus. */
export async function type(
  session: Session,
  steps: Steps,
  args: BrowserArguments<'type'>,
): Promise<void> {
  const tab = await session.actingTab(steps, args.tab_id);
  const { text, target } = args;
  if (target !== null) {
    const element = await elementOf(steps, tab, target, 'edit', text);
    await act(session, steps, (limit) => element.fill(text, limit));
    return;
  }
  const seen = session.reportedDocument(tab);
  // In pieces, so that cancellation is noticed and a field that passes the focus on keeps working.
  const characters = [...text];
  for (let start = 0; start < characters.length; start += TYPED_AT_ONCE) {
    const element = await focusedElement(session, steps, tab, seen);
    const piece = characters.slice(start, start + TYPED_AT_ONCE).join('');
    await act(session, steps, (limit) => element.type(piece, limit));
  }
  await settle(steps, tab);
}

export async function key(
  session: Session,
  steps: Steps,
  args: BrowserArguments<'key'>,
): Promise<void> {
  const tab = await session.actingTab(steps, args.tab_id);
  const seen = session.reportedDocument(tab);
  for (const press of keyPresses(args.keys)) {
    const element = await focusedElement(session, steps, tab, seen);
    await act(session, steps, (limit) => element.press(press, limit));
  }
  await settle(steps, tab);
}

/** Selects by value, or by label where no value fits; nothing happens when they are selected already. */
export async function selectOption(
  session: Session,
  steps: Steps,
  args: BrowserArguments<'select_option'>,
): Promise<void> {
  const tab = await session.actingTab(steps, args.tab_id);
  const element = await elementOf(steps, tab, args.target, 'select');
  const wanted = { ref: args.target, values: args.values };
  const choice = await ask(session, steps, tab, 'choose', wanted);
  if ('reason' in choice) throw reasonError(choice['reason']);
  if (choice['same'] === true) return;
  const options = (choice['indexes'] as number[]).map((index) => ({ index }));
  await act(session, steps, (limit) => element.selectOption(options, limit));
  await settle(steps, tab);
}

/** Leaves a checkbox or radio button in the wanted state, whatever its state was. */
export async function setChecked(
  session: Session,
  steps: Steps,
  args: BrowserArguments<'set_checked'>,
): Promise<void> {
  const tab = await session.actingTab(steps, args.tab_id);
  const { target, checked: wanted } = args;
  // Twice, because a click on a box in the third state may first lead to the other one.
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const element = await elementOf(steps, tab, target, 'check');
    const before = await checkedState(session, steps, tab, target);
    if (before['checked'] === wanted) return;
    if (before['role'] === 'radio' && !wanted) {
      throw new BrowserError('A radio button is cleared only by choosing another one.');
    }
    await act(session, steps, (limit) => element.click(limit));
    const after = await checkedState(session, steps, tab, target);
    if (after['checked'] === wanted) return settle(steps, tab);
    if (before['checked'] !== 'mixed') break;
  }
  throw new BrowserError('The page did not accept the change.');
}

export async function hover(
  session: Session,
  steps: Steps,
  args: BrowserArguments<'hover'>,
): Promise<void> {
  const tab = await session.actingTab(steps, args.tab_id);
  const element = await elementOf(steps, tab, args.target, 'visible');
  await act(session, steps, (limit) => element.hover(limit));
}

export async function scrollTo(
  session: Session,
  steps: Steps,
  args: BrowserArguments<'scroll_to'>,
): Promise<void> {
  const tab = await session.actingTab(steps, args.tab_id);
  const element = await elementOf(steps, tab, args.target, 'visible');
  await act(session, steps, (limit) => element.scrollIntoViewIfNeeded(limit));
}

/** Scrolls what is in the middle of the viewport, or else what surrounds it, by CSS pixels. */
export async function scroll(
  session: Session,
  steps: Steps,
  args: BrowserArguments<'scroll'>,
): Promise<string> {
  const tab = await session.actingTab(steps, args.tab_id);
  const wanted = { direction: args.direction, amount: args.amount };
  const seen = session.reportedDocument(tab);
  const { moved } = await ask(session, steps, tab, 'scroll', wanted, { seen });
  return typeof moved === 'number' && moved > 0
    ? `Scrolled by ${moved} CSS pixels.`
    : 'Nothing moved: there is no more to scroll in this direction.';
}

export async function clickAt(
  session: Session,
  steps: Steps,
  args: BrowserArguments<'click_at'>,
): Promise<void> {
  const tab = await session.actingTab(steps, args.tab_id);
  const { element, position } = await point(session, steps, tab, args.x, args.y);
  const { button, click_count: clickCount, keys: modifiers } = args;
  const options = { position, button, clickCount, modifiers, force: true };
  await act(session, steps, (limit) => element.click({ ...options, ...limit }));
  await settle(steps, tab);
}

export async function hoverAt(
  session: Session,
  steps: Steps,
  args: BrowserArguments<'hover_at'>,
): Promise<void> {
  const tab = await session.actingTab(steps, args.tab_id);
  const { element, position } = await point(session, steps, tab, args.x, args.y);
  await act(session, steps, (limit) => element.hover({ position, force: true, ...limit }));
}

/**
 * A point of the viewport, as a position on an element, mostly the root. The pointer of a page has no
 * timeout of its own, so a page that hangs while it handles a click would hold the driver; clicking
 * "the root element at this position, whatever is there" is the same input with a timeout.
 */
async function point(
  session: Session,
  steps: Steps,
  tab: Tab,
  x: number,
  y: number,
): Promise<{ element: PlaywrightElement; position: { x: number; y: number } }> {
  const seen = session.reportedDocument(tab);
  const place = await ask(session, steps, tab, 'aim', { x, y }, { seen });
  if (place['reason'] === 'outside') throw outsideViewport(place);
  if ('reason' in place) throw new BrowserError('There is nothing at this point.');
  const element = await aimedElement(steps, tab, seen);
  return { element, position: { x: Number(place['x']), y: Number(place['y']) } };
}

async function checkedState(
  session: Session,
  steps: Steps,
  tab: Tab,
  target: string,
): Promise<Answer> {
  const answer = await ask(session, steps, tab, 'checked', { ref: target });
  if ('reason' in answer) throw reasonError(answer['reason']);
  return answer;
}

async function act(
  session: Session,
  steps: Steps,
  action: (limit: Limit) => Promise<unknown>,
): Promise<void> {
  await steps.take(async () => {
    try {
      await action({ timeout: session.settings.actionTimeoutMs });
    } catch (error) {
      throw isTimeout(error) ? tookTooLong() : explained(messageOf(error));
    }
  });
}

function tookTooLong(): BrowserError {
  return new BrowserError(
    'The page did not take the action in time: the control may be covered or moving, or the page ' +
      'busy. Read the page before another attempt.',
  );
}

/** Playwright's messages quote the page, so they are recognised and replaced. */
function explained(message: string): BrowserError {
  if (/not attached|detached|context was destroyed/.test(message)) return reasonError('stale');
  if (message.includes('has been closed')) {
    return new BrowserError('The tab closed during the action.');
  }
  return new BrowserError(
    'The page did not accept the action. Read the page before another attempt.',
  );
}

/** Gives a navigation that the action began a moment to show its document. */
async function settle(steps: Steps, tab: Tab): Promise<void> {
  await steps.take(async () => {
    try {
      await tab.page.waitForLoadState('domcontentloaded', { timeout: SETTLE_TIMEOUT_MS });
    } catch {
      // Still loading, or closed: the next read shows which.
    }
  });
}
