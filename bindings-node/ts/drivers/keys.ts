/** Keys of a page: the names that the core knows, as far as Playwright's keyboard has them (D-2). */

import { driverLimits } from '../../native/native.js';
import { BrowserError, DriverError } from '../errors.js';
import { chord } from './screen.js';

const { keys: KEY_LIMIT } = driverLimits();
const MODIFIERS: ReadonlySet<string> = new Set(['Control', 'Alt', 'Shift', 'Meta']);
/** Playwright's keyboard ends before these. */
const MISSING: ReadonlySet<string> = new Set(
  Array.from({ length: 12 }, (_, index) => `F${index + 13}`),
);

/** Keys by place, so that Shift gives their other character. */
const PLACES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '-': 'Minus',
    '=': 'Equal',
    '[': 'BracketLeft',
    ']': 'BracketRight',
    '\\': 'Backslash',
    ';': 'Semicolon',
    "'": 'Quote',
    '`': 'Backquote',
    ',': 'Comma',
    '.': 'Period',
    '/': 'Slash',
  }),
);

/**
 * The keys of a chord in Playwright's spelling, modifiers first. A character beyond ASCII comes alone: it
 * can be typed, but is no key.
 *
 * @throws DriverError for nothing to press, an unknown name, or a key that Playwright's keyboard lacks.
 */
export function pageKeys(names: readonly string[]): string[] {
  const keys = chord(names);
  if (keys.some((key) => MISSING.has(key) || (!isAscii(key) && keys.length > 1))) {
    throw new DriverError(
      'a page has the keys F1 to F12 and those of an American keyboard; other characters are typed ' +
        'alone, as text',
      'key_unsupported',
    );
  }
  return keys;
}

/**
 * The key presses of one chord for an element: one for each key that is no modifier.
 *
 * @throws BrowserError for nothing to press, too much, or a key that a page has not.
 */
export function keyPresses(keys: readonly string[]): string[] {
  const pressed = attempt(keys);
  if (!pressed.every(isAscii)) {
    throw new BrowserError('This character is no key. Use the type operation for text.');
  }
  if (pressed.length > KEY_LIMIT) {
    throw new BrowserError(
      `At most ${KEY_LIMIT} keys are pressed at once. Use the type operation for text.`,
    );
  }
  const modifiers = pressed.filter((key) => MODIFIERS.has(key));
  const others = pressed.filter((key) => !MODIFIERS.has(key));
  return others.length > 0 ? others.map((key) => join(modifiers, key)) : [modifiers.join('+')];
}

export function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

function attempt(keys: readonly string[]): string[] {
  try {
    return pageKeys(keys);
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    throw new BrowserError(`No such keys can be pressed: ${error.message}.`);
  }
}

/** With modifiers the key itself is meant, not the character: "Control+A" does not ask for Shift. */
function join(modifiers: readonly string[], key: string): string {
  let place = key;
  if (modifiers.length > 0 && key.length === 1) {
    if (/[a-z]/i.test(key)) place = `Key${key.toUpperCase()}`;
    else if (/\d/.test(key)) place = `Digit${key}`;
    else place = PLACES.get(key) ?? key;
  }
  return [...modifiers, place].join('+');
}
