/** What is clicked is what was seen: scale, crop and shrinking on a real page (D-3). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fit, MAX_SIDE, Picture } from 'swingbridge/drivers/screen';
import { RECORDER, refusal, useDesk } from './desk.js';

const desk = useDesk();
const POINTS = [
  [0, 0],
  [101, 77],
  [398, 299],
];

/** A white page with one black pixel of CSS at a point. */
const dots = (...points) => `<!doctype html>
<style>
  body { margin: 0; background: white; height: 2000px }
  i { position: fixed; width: 1px; height: 1px; background: black }
</style>
${points.map(([x, y]) => `<i style="left:${x}px;top:${y}px"></i>`).join('')}
<script>
  window.events = [];
  addEventListener('click', (e) => events.push({ kind: 'click', x: e.clientX, y: e.clientY }), true);
</script>`;

async function clicks() {
  return (await desk.events('click')).map(({ x, y }) => [x, y]);
}

/** The size of a picture and its dark pixels, as another page of the browser decodes it. */
async function darkPixels(data) {
  const reader = await desk.contexts.at(-1).newPage();
  const answer = await reader.evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const { data: pixels, width } = context.getImageData(0, 0, canvas.width, canvas.height);
    const dark = [];
    for (let at = 0; at < pixels.length; at += 4) {
      if (pixels[at] < 128) dark.push([(at / 4) % width, Math.floor(at / 4 / width)]);
    }
    return { size: [canvas.width, canvas.height], dark };
  }, data.toString('base64'));
  await reader.close();
  return answer;
}

for (const [ratio, settings] of [
  [1, {}],
  [2, {}],
  [1, { scale: 'device' }],
  [2, { scale: 'device' }],
  [1.5, { scale: 'device' }],
  [3, { scale: 'device' }],
  [1, { crop: [100, 70, 299, 230] }],
  [2, { scale: 'device', crop: [100, 70, 299, 230] }],
  [2, { crop: [100, 70, 1000, 1000] }],
]) {
  test(`a click on what the picture shows lands there: ${ratio} ${JSON.stringify(settings)}`, async () => {
    const [left, top, width, height] = settings.crop ?? [0, 0, 400, 300];
    const inside = POINTS.filter(
      ([x, y]) => x >= left && x < left + width && y >= top && y < top + height,
    );
    assert.ok(inside.length > 0);
    for (const point of inside) {
      await desk.open(dots(point), { ratio, size: [400, 300], ...settings });
      const data = await desk.screenshot();
      const { size, dark } = await darkPixels(data);
      const shown = Picture.read(data);
      assert.deepEqual(size, [shown.width, shown.height]);
      assert.ok(dark.length > 0);
      // At a broken scale the first pixels show a part of the neighbour too.
      for (const [x, y] of Number.isInteger(ratio) ? dark : dark.slice(-1)) {
        await desk.act('click', { x, y, button: 'left' });
      }
      assert.deepEqual(new Set((await clicks()).map(String)), new Set([String(point)]));
    }
  });
}

for (const settings of [{ maxSize: [200, 200] }, { maxSize: [100, 75], scale: 'device' }]) {
  test(`a smaller picture is clicked in its own pixels: ${JSON.stringify(settings)}`, async () => {
    const box = 'position:fixed;left:200px;top:100px;width:40px;height:40px;background:black';
    await desk.open(`${dots([0, 0])}<b style="${box}"></b>`, {
      ratio: 2,
      size: [400, 300],
      ...settings,
    });
    await desk.page.evaluate('scrollTo(0, 700)');
    const { size, dark } = await darkPixels(await desk.screenshot());
    const [wide, high] = settings.maxSize;
    assert.ok(size[0] <= wide && size[1] <= high);
    assert.equal(size[0], Math.min(wide, Math.floor((high * 4) / 3)));
    const square = dark.slice(1);
    const [x, y] = [0, 1].map((axis) =>
      Math.floor(square.reduce((sum, pixel) => sum + pixel[axis], 0) / square.length),
    );
    await desk.act('click', { x, y, button: 'left' });
    const [[clickedX, clickedY]] = await clicks();
    assert.ok(Math.abs(clickedX - 220) <= 4 && Math.abs(clickedY - 120) <= 4);
  });
}

test('points belong to the last screenshot', async () => {
  await desk.open(dots([0, 0]), { size: [400, 300], maxSize: [200, 150] });
  await desk.screenshot();
  await desk.page.setViewportSize({ width: 800, height: 600 });
  // The model has not seen the larger page yet: its points are those of the picture it has.
  await desk.act('click', { x: 199, y: 149, button: 'left' });
  await desk.screenshot();
  await desk.act('click', { x: 100, y: 75, button: 'left' });
  assert.deepEqual(await clicks(), [
    [398, 298],
    [400, 300],
  ]);
});

for (const [x, y] of [
  [400, 0],
  [0, 300],
  [-1, 0],
  [0, -1],
  [10 ** 12, 0],
]) {
  test(`points outside are refused: ${x},${y}`, async () => {
    await desk.open(dots([0, 0]), { size: [400, 300] });
    await desk.screenshot();
    for (const [type, fields] of [
      ['click', { button: 'left' }],
      ['double_click', {}],
      ['move', {}],
      ['scroll', { scroll_x: 0, scroll_y: 10 }],
    ]) {
      await assert.rejects(
        desk.act(type, { x, y, ...fields }),
        refusal('point_outside_screenshot'),
      );
    }
    assert.deepEqual(await clicks(), []);
  });
}

test('distances are scaled like points', async () => {
  await desk.open(RECORDER, { ratio: 2, scale: 'device' });
  await desk.screenshot();
  await desk.act('scroll', { x: 800, y: 600, scroll_x: 0, scroll_y: 300 });
  await desk.until(async () => (await desk.page.evaluate('scrollY')) === 150);
  const [event] = await desk.events('wheel');
  assert.deepEqual([event.x, event.y], [400, 300]);
});

test('without a screenshot points are meant in that which would be taken', async () => {
  await desk.open(dots([0, 0]), { ratio: 2, size: [400, 300], scale: 'device' });
  await desk.act('click', { x: 200, y: 100, button: 'left' });
  assert.deepEqual(await clicks(), [[100, 50]]);
});

test('a page without a fixed viewport', async () => {
  await desk.open(dots([0, 0]), { size: null });
  const [width, height] = await desk.page.evaluate('[innerWidth, innerHeight]');
  const picture = Picture.read(await desk.screenshot());
  assert.deepEqual([picture.width, picture.height], [width, height]);
  await desk.act('click', { x: width - 1, y: height - 1, button: 'left' });
  assert.deepEqual(await clicks(), [[width - 1, height - 1]]);
});

test('a crop outside the viewport is refused', async () => {
  await desk.open(dots([0, 0]), { size: [400, 300], crop: [400, 0, 10, 10] });
  await assert.rejects(desk.screenshot(), refusal('crop_outside_viewport'));
});

test('a picture beyond the limits is taken smaller', async () => {
  await desk.open(dots([0, 0]), { size: [MAX_SIDE + 100, 40] });
  const picture = Picture.read(await desk.screenshot());
  assert.ok(picture.width > 0.95 * MAX_SIDE && picture.width <= fit(MAX_SIDE + 100, 40)[0]);
  await desk.act('click', { x: picture.width - 1, y: 0, button: 'left' });
  const [[x]] = await clicks();
  assert.ok(x >= MAX_SIDE + 90 && x < MAX_SIDE + 100);
});

test('another browser than Chromium cannot make it smaller', async () => {
  await desk.open(dots([0, 0]), { maxSize: [200, 200] });
  desk.page.context = () => ({ newCDPSession: async () => Promise.reject(new Error('no')) });
  try {
    await assert.rejects(desk.screenshot(), refusal('screenshot_too_large'));
  } finally {
    delete desk.page.context;
  }
});
