/** Keys, pictures and coordinates for drivers (D-2, D-3). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DriverError } from 'swingbridge';
import {
  chord,
  CoordinateMapping,
  dataUrl,
  fit,
  MAX_PATCHES,
  MAX_SIDE,
  Picture,
} from 'swingbridge/drivers/screen';

function png(width, height) {
  const bytes = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR????????rest', 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

const GIF = Buffer.from('GIF89a\x03\0\x04\0', 'latin1');
const JPEG = Buffer.from('\xff\xd8\xff\xc0\0\x0b\x08\0\x04\0\x03rest', 'latin1');
const WEBP = Buffer.from(`RIFF\0\0\0\0WEBPVP8X${'\0'.repeat(8)}\x02\0\0\x03\0\0`, 'latin1');

/** Fails with this code. */
const refusal = (code) => (error) => {
  assert.ok(error instanceof DriverError && !(error instanceof TypeError), String(error));
  assert.equal(error.code, code);
  return true;
};

test('modifiers go down first, and shortcuts type no capitals', () => {
  assert.deepEqual(chord(['A', 'CTRL']), ['Control', 'a']);
  assert.deepEqual(chord(['Ctrl+Shift+T']), ['Control', 'Shift', 't']);
  assert.deepEqual(chord(['Esc']), ['Escape']);
});

for (const [names, code] of [
  [[], 'keys_empty'],
  [['Hyper'], 'key_unknown'],
  [[''], 'key_unknown'],
  [['\ud800'], 'key_unknown'],
]) {
  test(`keys that are refused: ${JSON.stringify(names)}`, () => {
    assert.throws(() => chord(names), refusal(code));
  });
}

test('a refusal names valid spellings and not what was written', () => {
  assert.throws(
    () => chord(['a', 'tr0ub4dor']),
    ({ message }) => {
      assert.match(message, /key 2 .*F1 to F24.*Escape.*ContextMenu/s);
      assert.doesNotMatch(message, /tr0ub4dor/);
      return true;
    },
  );
});

for (const [data, mediaType, width, height] of [
  [png(640, 480), 'image/png', 640, 480],
  [GIF, 'image/gif', 3, 4],
  [JPEG, 'image/jpeg', 3, 4],
  [WEBP, 'image/webp', 3, 4],
]) {
  test(`a picture says what it is: ${mediaType}`, () => {
    const picture = Picture.read(data);
    assert.deepEqual({ ...picture }, { mediaType, width, height });
    assert.equal(dataUrl(data), `data:${mediaType};base64,${data.toString('base64')}`);
    // A view into a larger buffer is that view alone.
    const inside = new Uint8Array([0, ...data, 0]).subarray(1, data.length + 1);
    assert.equal(dataUrl(inside), dataUrl(data));
  });
}

for (const [name, data, code] of [
  ['nothing', Buffer.alloc(0), 'screenshot_empty'],
  ['another format', Buffer.from('<svg/>'), 'screenshot_format_unknown'],
  ['no width', png(0, 1), 'screenshot_damaged'],
  ['half a header', png(640, 480).subarray(0, 20), 'screenshot_damaged'],
  ['too wide', png(MAX_SIDE + 1, 1), 'screenshot_too_large'],
  ['too high', png(1, MAX_SIDE + 1), 'screenshot_too_large'],
  ['too many patches', png(32 * 200, 32 * 151), 'screenshot_too_large'],
]) {
  test(`a picture that is refused: ${name}`, () => {
    assert.throws(() => dataUrl(data), refusal(code));
  });
}

test('what fits is accepted, and is as large as it can be', () => {
  assert.deepEqual([MAX_SIDE, MAX_PATCHES], [16_384, 30_000]);
  assert.deepEqual(fit(1440, 900), [1440, 900]);
  for (const [width, height] of sizes(300, 100_000)) {
    const [wide, high] = fit(width, height);
    Picture.read(png(wide, high)).checkLimits();
    assert.ok(wide <= width && high <= height);
  }
  for (const bad of [0, -1, 1.5, NaN, Infinity, 2 ** 32]) {
    assert.throws(() => fit(bad, 10), refusal('mapping_picture_invalid'));
  }
});

test('points are scaled first, and the crop is added after', () => {
  const half = new CoordinateMapping([0, 0, 1600, 1200], [800, 600]);
  assert.deepEqual(half.toScreen(400, 300), [800, 600]);
  const crop = new CoordinateMapping([100, 50, 800, 600], [400, 200]);
  assert.deepEqual(crop.toScreen(10, 20), [120, 110]);
  assert.deepEqual(crop.toPicture(120, 110), [10, 20]);
  assert.deepEqual(
    [crop.area, crop.picture],
    [
      [100, 50, 800, 600],
      [400, 200],
    ],
  );
});

test('what is clicked is what was seen, whatever the scale, the crop and the shape', () => {
  const random = generator(7);
  for (const [width, height] of sizes(300, 4_000)) {
    const [left, top, wide, high] = Array.from({ length: 4 }, () => 1 + random(4_000));
    const mapping = new CoordinateMapping([left, top, width, height], [wide, high]);
    if (width >= wide && height >= high) {
      const pixel = [random(wide), random(high)];
      assert.deepEqual(mapping.toPicture(...mapping.toScreen(...pixel)), pixel);
    }
    if (width <= wide && height <= high) {
      const point = [left + random(width), top + random(height)];
      assert.deepEqual(mapping.toScreen(...mapping.toPicture(...point)), point);
    }
  }
});

for (const [area, picture, code] of [
  [[0, 0, 0, 1], [1, 1], 'mapping_area_invalid'],
  [[0, 0, NaN, 1], [1, 1], 'mapping_area_invalid'],
  [[0, 0, 1, -1], [1, 1], 'mapping_area_invalid'],
  [[0, 0, 1, 1], [0, 1], 'mapping_picture_invalid'],
  [[0, 0, 1, 1], [1.5, 1], 'mapping_picture_invalid'],
  [[0, 0, 1, 1], [1, 2 ** 32 + 1], 'mapping_picture_invalid'],
]) {
  test(`a mapping that is refused: ${area} to ${picture}`, () => {
    assert.throws(() => new CoordinateMapping(area, picture), refusal(code));
  });
}

test('what is no pixel of the picture is refused', () => {
  const mapping = new CoordinateMapping([10, 10, 100, 100], [100, 100]);
  for (const point of [
    [100, 0],
    [-1, 0],
    [0, 100],
    [1.5, 0],
    [NaN, 0],
    [Infinity, 0],
    [1e300, 0],
  ]) {
    assert.throws(() => mapping.toScreen(...point), refusal('point_outside_screenshot'));
  }
  assert.throws(() => mapping.toPicture(5, 50), refusal('point_outside_screenshot'));
});

/** Sizes that are the same in every run. */
function* sizes(count, most) {
  const random = generator(count);
  for (let turn = 0; turn < count; turn += 1) yield [1 + random(most), 1 + random(most)];
}

/** Whole numbers from 0 below a limit: a linear congruence. */
function generator(seed) {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}
