/**
 * The page script in the current document of a tab: reading, and references (D-1).
 *
 * All calls go through `waitForFunction`, because plain evaluation has no timeout and a page that
 * keeps its thread busy would hold the driver for ever. What the script answers is always true, so
 * nothing is waited for in fact.
 */

import { randomBytes } from 'node:crypto';

import { driverLimits } from '../../native/native.js';
import { BrowserError } from '../errors.js';
import { pageScript } from './page-script.js';
import type { PlaywrightElement, PlaywrightFrame, PlaywrightHandle } from './playwright-types.js';
import { isTimeout, messageOf, pageChanged, reasonError, tabCrashed } from './refusals.js';
import { type Answer, parseAnswer } from './reports.js';
import type { Session } from './session.js';
import type { Steps } from './steps.js';
import type { Tab } from './tabs.js';

const READ_TIMEOUT_MS = 8_000;
const { frames: FRAME_LIMIT } = driverLimits();
const REF = /^g(\d{1,15})-e\d{1,15}$/;

/** What will be done with an element: hover and scroll need it `visible`. */
export type Need = 'visible' | 'use' | 'edit' | 'select' | 'check';

/** The object that the page script gives; it exists in the page alone. */
interface Script {
  call(operation: string, args: unknown): string;
  element(ref: string, need: string, token: string, text: string): unknown;
  focused(token: string): unknown;
  aimed(): unknown;
}

/** What a handle of a document refers to; it exists in the page alone. */
interface Held {
  document: object;
}

interface ElementRequest {
  kind: 'element' | 'focused' | 'aimed';
  ref: string;
  need: string;
  text: string;
  /** As in AskOptions. */
  seen: PlaywrightHandle | null;
}

interface AskOptions {
  timeout?: number;
  /** A document: nothing is done in any other one. */
  seen?: PlaywrightHandle | null;
}

/**
 * Asks the script of the current document, installing it where that is missing. Throws a
 * BrowserError if the page does not respond in time, closed, cannot be read, or shows another document.
 */
export async function ask(
  session: Session,
  steps: Steps,
  tab: Tab,
  operation: string,
  args: object = {},
  { timeout = READ_TIMEOUT_MS, seen = null }: AskOptions = {},
): Promise<Answer> {
  // Twice: a document that was replaced since the last call takes its script along.
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const script = await guarded(tab, steps, () => scriptOf(session, tab, timeout));
    if (script === null) continue;
    const held = seen as unknown as Held | null;
    const arg = { script: script as unknown as Script, operation, args, seen: held };
    const answer = await guarded(tab, steps, async () => {
      // A handle of another document makes the call fail, except where the browser keeps the window.
      const evaluate = (a: typeof arg): unknown => {
        const { document } = globalThis as unknown as { document: object };
        if (a.seen !== null && a.seen.document !== document) return 'replaced';
        return a.script.call(a.operation, a.args);
      };
      const handle = await tab.page.mainFrame().waitForFunction(evaluate, arg, { timeout });
      return { text: await handle.jsonValue() };
    });
    if (answer?.text === 'replaced') throw pageChanged();
    if (answer !== null) return parseAnswer(answer.text);
  }
  if (seen !== null) throw pageChanged();
  throw new BrowserError('The page could not be read. It may have closed or still be loading.');
}

/**
 * The live element of a reference, checked at this moment, as a handle in its own frame. Throws a
 * BrowserError if it is stale, changed, hidden, disabled, of another kind, or cannot hold `text`.
 */
export async function elementOf(
  steps: Steps,
  tab: Tab,
  ref: string,
  need: Need,
  text = '',
): Promise<PlaywrightElement> {
  const generation = REF.exec(ref)?.[1];
  if (generation === undefined || Number(generation) !== tab.generation) {
    throw reasonError('stale');
  }
  return element(steps, tab, { kind: 'element', ref, need, text, seen: null });
}

/**
 * The element that has the focus, or the body where none has. Throws a BrowserError if it is in a
 * frame of another origin, or the tab shows another document than `seen`.
 */
export async function focusedElement(
  session: Session,
  steps: Steps,
  tab: Tab,
  seen: PlaywrightHandle | null,
): Promise<PlaywrightElement> {
  await ask(session, steps, tab, 'viewport', {}, { seen });
  return element(steps, tab, { kind: 'focused', ref: '', need: '', text: '', seen });
}

/** The element that the script chose when it was last asked to `aim`; `seen` as in AskOptions. */
export async function aimedElement(
  steps: Steps,
  tab: Tab,
  seen: PlaywrightHandle | null,
): Promise<PlaywrightElement> {
  return element(steps, tab, { kind: 'aimed', ref: '', need: '', text: '', seen });
}

async function scriptOf(session: Session, tab: Tab, timeout: number): Promise<PlaywrightHandle> {
  if (tab.script !== null) return tab.script;
  session.generations += 1;
  const generation = session.generations;
  const options = JSON.stringify({ generation, reportValues: session.settings.reportValues });
  const source = `(${pageScript()}\n)(${options})`;
  tab.script = await tab.page.mainFrame().waitForFunction(source, undefined, { timeout });
  tab.generation = generation;
  return tab.script;
}

/** A call to the script; null if its document is gone. */
async function guarded<T>(tab: Tab, steps: Steps, call: () => Promise<T>): Promise<T | null> {
  return steps.take(async () => {
    try {
      return await call();
    } catch (error) {
      if (isTimeout(error)) throw new BrowserError('The page does not respond.');
      if (messageOf(error).includes('crashed')) {
        tab.crashed = true;
        throw tabCrashed();
      }
      tab.script = null;
      return null;
    }
  });
}

async function element(
  steps: Steps,
  tab: Tab,
  request: ElementRequest,
): Promise<PlaywrightElement> {
  if (tab.script === null) throw reasonError('stale');
  const token = `_${randomBytes(16).toString('hex')}`;
  const held = request.seen as unknown as Held | null;
  const arg = { ...request, script: tab.script as unknown as Script, token, seen: held };
  const found = await guarded(tab, steps, async () => {
    const evaluate = (a: typeof arg): unknown => {
      const { document } = globalThis as unknown as { document: object };
      if (a.seen !== null && a.seen.document !== document) return 'replaced';
      if (a.kind === 'element') return a.script.element(a.ref, a.need, a.token, a.text);
      return a.kind === 'focused' ? a.script.focused(a.token) : a.script.aimed();
    };
    const limit = { timeout: READ_TIMEOUT_MS };
    const handle = await tab.page.mainFrame().waitForFunction(evaluate, arg, limit);
    const whole = handle.asElement();
    return whole === null ? { reason: await handle.jsonValue() } : { element: whole };
  });
  if (found === null) throw request.seen === null ? reasonError('stale') : pageChanged();
  if (found.element !== undefined) return found.element;
  const collected = found.reason === 'lent' ? await collect(steps, tab, token) : null;
  if (collected === null) throw reasonError(found.reason);
  return collected;
}

/** Takes an element over in the frame where the script left it (see `handOver` in `core/src/browser/page/references.js`). */
async function collect(steps: Steps, tab: Tab, token: string): Promise<PlaywrightElement | null> {
  for (const frame of tab.page.frames().slice(1, FRAME_LIMIT + 1)) {
    const collected = await steps.take(() => collectIn(frame, token));
    if (collected !== null) return collected;
  }
  return null;
}

async function collectIn(frame: PlaywrightFrame, token: string): Promise<PlaywrightElement | null> {
  const take = (name: string): unknown => {
    const owner = globalThis as unknown as Record<string, unknown>;
    const found = owner[name];
    delete owner[name];
    return found ?? 'none';
  };
  try {
    const handle = await frame.waitForFunction(take, token, { timeout: READ_TIMEOUT_MS });
    return handle.asElement();
  } catch {
    return null; // this frame is gone or busy; the element is in another one, or stale
  }
}
