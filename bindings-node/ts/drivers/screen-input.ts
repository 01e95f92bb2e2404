/** Input of the Playwright computer driver: keys and buttons that are let go of whatever happens. */

import { DriverError } from '../errors.js';
import type { PlaywrightKeyboard, PlaywrightMouse } from './computer-page.js';
import { isAscii, pageKeys } from './keys.js';

export type Point = readonly [x: number, y: number];

/** One step of input: not begun after an abort, and not for longer than its limit. */
export type Step = (call: () => Promise<void>) => Promise<void>;

/** How input is made: step by step, and let go of also after an abort. */
export interface Hand {
  readonly step: Step;
  readonly release: Step;
}

/** Many pages take a single move for a click that slipped. */
const DRAG_STEPS = 5;
const TYPED_AT_ONCE = 100;

/** Presses a chord: keys down in order, up in reverse. */
export async function press(
  hand: Hand,
  keyboard: PlaywrightKeyboard,
  names: readonly string[],
): Promise<void> {
  const [key = ''] = pageKeys(names);
  // A character that the keyboard lacks can be entered, though not held.
  if (!isAscii(key)) await hand.step(() => keyboard.insertText(key));
  else await holding(hand, keyboard, names, async () => undefined);
}

/** Works while keys are held: down in order, up in reverse, also on error and abort. */
export async function holding(
  hand: Hand,
  keyboard: PlaywrightKeyboard,
  names: readonly string[] | null | undefined,
  work: () => Promise<void>,
): Promise<void> {
  const keys = names && names.length > 0 ? pageKeys(names) : [];
  if (!isAscii(keys[0] ?? '')) {
    throw new DriverError('a character beyond ASCII cannot be held', 'key_unsupported');
  }
  const releases: (() => Promise<void>)[] = [];
  const holdAndWork = async (): Promise<void> => {
    for (const key of keys) {
      await hand.step(() => {
        // Noted before: a press that fails may have arrived all the same.
        releases.unshift(() => keyboard.up(key));
        return keyboard.down(key);
      });
    }
    await work();
  };
  await releasing(hand, releases, holdAndWork);
}

/** Moves along points with the left button pressed. */
export async function dragging(
  hand: Hand,
  mouse: PlaywrightMouse,
  [start, ...rest]: readonly [Point, ...Point[]],
): Promise<void> {
  const releases: (() => Promise<void>)[] = [];
  await hand.step(() => mouse.move(...start));
  await releasing(hand, releases, async () => {
    await hand.step(() => {
      releases.unshift(() => mouse.up());
      return mouse.down();
    });
    for (const point of rest) {
      await hand.step(() => mouse.move(...point, { steps: DRAG_STEPS }));
    }
  });
}

/** Types in pieces, so that an abort is noticed; never through the middle of a character. */
export async function typing(
  hand: Hand,
  keyboard: PlaywrightKeyboard,
  text: string,
): Promise<void> {
  const characters = [...text.replaceAll('\r\n', '\n')];
  for (let start = 0; start < characters.length; start += TYPED_AT_ONCE) {
    const piece = characters.slice(start, start + TYPED_AT_ONCE).join('');
    await hand.step(() => keyboard.type(piece));
  }
}

/** Works, and then lets everything go. The first failure is the one that counts. */
async function releasing(
  hand: Hand,
  releases: readonly (() => Promise<void>)[],
  work: () => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const note = (error: unknown): number => failures.push(error);
  await work().catch(note);
  for (const release of releases) await hand.release(release).catch(note);
  if (failures.length > 0) throw failures[0];
}
