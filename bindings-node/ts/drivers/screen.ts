/** What a computer driver needs besides its screen: keys, pictures and coordinates (D-2, D-3). */

import { Buffer } from 'node:buffer';

import * as native from '../../native/native.js';
import { fromNative } from '../errors.js';

/**
 * The keys of a chord in the order in which they go down; they go up in reverse. Names are those of
 * models and platforms in any spelling (`CTRL`, `Esc`, `PgDn`, `Cmd`, `Ctrl+Shift+T`), the result is in
 * the names of `KeyboardEvent`, which Playwright takes.
 *
 * @throws DriverError for a name that is not known, and if there is none.
 */
export function chord(names: readonly string[]): string[] {
  // No key has a name that is not well-formed text, and the addon would repair it.
  const known = names.map((name) => (name.isWellFormed() ? name : ''));
  return attempt(() => native.keyChord(known));
}

/** The most patches of 32 x 32 pixels, and the longest side in pixels, that the service accepts. */
export const [MAX_PATCHES, MAX_SIDE] = native.pictureLimits();

/**
 * The largest size of the same shape that the service accepts, not larger than the given one.
 *
 * @throws DriverError unless both sides are positive whole numbers.
 */
export function fit(width: number, height: number): [width: number, height: number] {
  return attempt(() => native.fitPicture(width, height));
}

/** The format and the size of a picture, as its own header says. */
export class Picture {
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;

  private constructor(mediaType: string, width: number, height: number) {
    this.mediaType = mediaType;
    this.width = width;
    this.height = height;
  }

  /**
   * Reads the header of an encoded picture: PNG, JPEG, WebP or GIF. The pixels are not looked at.
   *
   * @throws DriverError for anything else, an empty picture included.
   */
  static read(data: Uint8Array): Picture {
    return new Picture(...attempt(() => native.pictureHeader(data)));
  }

  /** @throws DriverError if the service would refuse a picture of this size. */
  checkLimits(): void {
    attempt(() => native.checkPicture(this.width, this.height));
  }
}

/**
 * An encoded picture as a data URL, labelled by what the bytes are and not by their name.
 *
 * @throws DriverError if there are no bytes, they are no picture, or the service would refuse its size.
 */
export function dataUrl(data: Uint8Array): string {
  const picture = Picture.read(data);
  picture.checkLimits();
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return `data:${picture.mediaType};base64,${bytes.toString('base64')}`;
}

/** A part of a screen in the units in which a driver clicks: left, top, width, height. */
export type Area = readonly [left: number, top: number, width: number, height: number];

/** From pixels of a picture to points of the screen that it shows, and back. */
export class CoordinateMapping {
  readonly area: Area;
  /** Width and height in pixels. */
  readonly picture: readonly [width: number, height: number];
  readonly #map: native.ExternalObject<native.ScreenMapping>;

  /**
   * The `area` of the screen was pictured with `picture` pixels.
   *
   * @throws DriverError for an area or a picture without a size.
   */
  constructor(area: Area, picture: readonly [width: number, height: number]) {
    this.area = Object.freeze([...area] as const);
    this.picture = Object.freeze([...picture] as const);
    this.#map = attempt(() => native.openMapping(...this.area, ...this.picture));
  }

  /**
   * The point of the screen under a pixel of the picture: scaled, each axis on its own, then moved to where
   * the area begins.
   *
   * @throws DriverError for what is no pixel of the picture.
   */
  toScreen(x: number, y: number): [x: number, y: number] {
    return attempt(() => native.mapToScreen(this.#map, x, y));
  }

  /**
   * The pixel of the picture that shows a point of the screen.
   *
   * @throws DriverError for a point outside of the area.
   */
  toPicture(x: number, y: number): [x: number, y: number] {
    return attempt(() => native.mapToPicture(this.#map, x, y));
  }
}

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fromNative(error);
  }
}
