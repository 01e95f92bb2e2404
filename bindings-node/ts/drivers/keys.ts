/** Key names: what models write, in the spelling that Playwright takes. */

import { BrowserError } from '../errors.js';

const KEY_COUNT = 16;

const MODIFIERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    control: 'Control',
    ctrl: 'Control',
    ctl: 'Control',
    alt: 'Alt',
    option: 'Alt',
    opt: 'Alt',
    shift: 'Shift',
    meta: 'Meta',
    cmd: 'Meta',
    command: 'Meta',
    win: 'Meta',
    windows: 'Meta',
    super: 'Meta',
    controlormeta: 'ControlOrMeta',
    cmdorctrl: 'ControlOrMeta',
    ctrlorcmd: 'ControlOrMeta',
  }),
);

const NAMED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    enter: 'Enter',
    return: 'Enter',
    tab: 'Tab',
    escape: 'Escape',
    esc: 'Escape',
    backspace: 'Backspace',
    delete: 'Delete',
    del: 'Delete',
    insert: 'Insert',
    ins: 'Insert',
    home: 'Home',
    end: 'End',
    pageup: 'PageUp',
    pgup: 'PageUp',
    pagedown: 'PageDown',
    pgdn: 'PageDown',
    pgdown: 'PageDown',
    arrowup: 'ArrowUp',
    up: 'ArrowUp',
    arrowdown: 'ArrowDown',
    down: 'ArrowDown',
    arrowleft: 'ArrowLeft',
    left: 'ArrowLeft',
    arrowright: 'ArrowRight',
    right: 'ArrowRight',
    space: 'Space',
    spacebar: 'Space',
    plus: '+',
    minus: '-',
    ...Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`f${i + 1}`, `F${i + 1}`])),
  }),
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

const SPELLINGS =
  'Use one printable ASCII character, or Enter, Tab, Escape, Backspace, Delete, Insert, Home, End, ' +
  'PageUp, PageDown, ArrowUp, ArrowDown, ArrowLeft, ArrowRight, Space or F1 to F12, with the ' +
  'modifiers Control, Alt, Shift and Meta, for example Control+A. Use the type operation for other text.';

/**
 * The key presses of one combination, in Playwright's spelling. `['Control', 'A']` and
 * `['Control+A']` are the same chord. Modifiers hold for the keys that follow them in the list;
 * several other keys are pressed one after the other.
 *
 * Throws a BrowserError for nothing to press, too much, or an unknown name.
 */
export function keyPresses(keys: readonly string[]): string[] {
  if (keys.length === 0) throw new BrowserError(`No key was named. ${SPELLINGS}`);
  const held = new Set<string>();
  let presses: string[] = [];
  for (const entry of keys) {
    const { modifiers, key } = chord(entry);
    if (key === null) for (const name of modifiers) held.add(name);
    else presses.push(join([...new Set([...held, ...modifiers])], key));
  }
  if (presses.length === 0) presses = [[...held].join('+')];
  if (presses.length > KEY_COUNT) {
    throw new BrowserError(
      `At most ${KEY_COUNT} keys are pressed at once. Use the type operation for text.`,
    );
  }
  return presses;
}

function chord(entry: string): { modifiers: string[]; key: string | null } {
  const modifiers: string[] = [];
  let rest = entry === ' ' ? entry : entry.trim();
  for (;;) {
    const plus = rest.indexOf('+');
    const modifier = MODIFIERS.get(folded(plus < 0 ? rest : rest.slice(0, plus)));
    if (modifier === undefined) return { modifiers, key: keyOf(rest, entry) };
    modifiers.push(modifier);
    if (plus < 0) return { modifiers, key: null };
    const tail = rest.slice(plus + 1);
    rest = tail === ' ' ? tail : tail.trim();
  }
}

function keyOf(name: string, entry: string): string {
  if (/^[ -~]$/.test(name)) return name === ' ' ? 'Space' : name;
  const key = NAMED.get(folded(name));
  if (key === undefined) throw new BrowserError(`Unknown key ${quoted(entry)}. ${SPELLINGS}`);
  return key;
}

/** With modifiers the key itself is meant, not the character: "Control+A" does not ask for Shift. */
function join(modifiers: string[], key: string): string {
  let place = key;
  if (modifiers.length > 0 && key.length === 1) {
    if (/[a-z]/i.test(key)) place = `Key${key.toUpperCase()}`;
    else if (/\d/.test(key)) place = `Digit${key}`;
    else place = PLACES.get(key) ?? key;
  }
  return [...modifiers, place].join('+');
}

function folded(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '');
}

function quoted(text: string): string {
  return `"${[...text]
    .slice(0, 32)
    .join('')
    .replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '')}"`;
}
