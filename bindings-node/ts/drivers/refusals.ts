/** Errors that a model can act upon. None of them carries text of the page. */

import { BrowserError } from '../errors.js';

const STALE = 'The reference is stale. Read the page again and use a reference from that read.';

/** What the page script answers instead of an element or a result. */
const REASONS: ReadonlyMap<unknown, string> = new Map([
  ['stale', STALE],
  ['replaced', 'The page changed since it was last reported; read it again.'],
  ['changed', 'The control changed after it was read. Read the page again before using it.'],
  ['hidden', 'The control is not visible now. Read the page again.'],
  ['disabled', 'The control is disabled.'],
  ['read_only', 'The control is read-only.'],
  ['not_editable', 'The control takes no text. Use the click or key operation.'],
  ['is_select', 'The control takes no text. Use the select_option operation.'],
  ['is_checkable', 'The control takes no text. Use the set_checked or click operation.'],
  [
    'bad_value',
    'The control does not hold this text. Dates are YYYY-MM-DD, times HH:MM, ' +
      'numbers within the limits of the control and without other characters.',
  ],
  ['not_select', 'The control is not a native select. Click it and then click one of its options.'],
  ['not_checkable', 'The control is neither a checkbox nor a radio button.'],
  ['one_value', 'The control takes exactly one value.'],
  ['no_option', 'The control has no option with one of these values.'],
  ['option_disabled', 'One of these options is disabled.'],
  ['unreachable', 'The focus is in a frame that cannot be reached. Click a control first.'],
]);

/** The error of a reason that the page script gave; an unknown one counts as stale. */
export function reasonError(reason: unknown): BrowserError {
  return new BrowserError(REASONS.get(reason) ?? STALE);
}

/** For a tab or document that is not the one of the last report. */
export function pageChanged(): BrowserError {
  return reasonError('replaced');
}

/** For coordinates that the viewport does not have. */
export function outsideViewport(view: Record<string, unknown>): BrowserError {
  const size = `${String(view['width'])} x ${String(view['height'])} CSS pixels`;
  return new BrowserError(`The coordinates are outside the viewport of ${size}.`);
}

/** For a tab whose process died; Playwright cannot use such a page again. */
export function tabCrashed(): BrowserError {
  return new BrowserError('The tab crashed. Close it and open another one.');
}

/** Playwright's error for a limit that passed. Its class is not imported, so its name tells. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}
