/** The booking site of the demo (D-4); its Python twin is held to the same answers. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';

import { SERVICES, TIMES, openBookingSite } from '../../examples/booking/node/booking-site.js';

const file = new URL('../../tests-py/drivers/booking_cases.json', import.meta.url);
const CASES = JSON.parse(readFileSync(file, 'utf8'));

let folder;
let site;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'booking-site-'));
  site = await openBookingSite(folder);
});

afterEach(async () => {
  await site.close();
  rmSync(folder, { recursive: true });
});

async function book(booking, headers = {}) {
  const response = await fetch(`${site.origin}/bookings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof booking === 'string' ? booking : JSON.stringify(booking),
  });
  return [response.status, await response.json()];
}

for (const { name, bookings, statuses, answer, records } of CASES) {
  test(`bookings are checked and saved once: ${name}`, async () => {
    const answers = [];
    for (const booking of bookings) answers.push(await book(booking));
    assert.deepEqual(
      answers.map(([status]) => status),
      statuses,
    );
    assert.deepEqual(answers.at(-1)[1], answer);
    assert.deepEqual(await site.records(), records);
  });
}

test('the same form sent at once is saved once', async () => {
  const [booking] = CASES[0].bookings;
  const answers = await Promise.all([book(booking), book(booking), book(booking)]);
  assert.deepEqual(answers.map(([status]) => status).sort(), [200, 200, 201]);
  assert.equal((await site.records()).length, 1);
  assert.deepEqual(readdirSync(folder), ['bookings.json']);
  assert.deepEqual(await (await fetch(`${site.origin}/taken`)).json(), [booking.time]);
});

test('only its own page books', async () => {
  const [booking] = CASES[0].bookings;
  assert.equal((await book(booking, { origin: 'http://example.com' }))[0], 403);
  assert.equal((await book(booking, { 'content-type': 'text/plain' }))[0], 415);
  assert.equal((await book('x'.repeat(20_000)))[0], 413);
  assert.equal((await book('{'))[0], 400);
  assert.deepEqual(await site.records(), []);
  assert.equal((await book(booking, { origin: site.origin }))[0], 201);
});

test('the page offers what the server takes', async () => {
  const page = await (await fetch(site.origin)).text();
  const offered = (name) => {
    const select = page.split(`name="${name}"`)[1].split('</select>')[0];
    return [...select.matchAll(/<option value="([^"]+)"/g)].map(([, value]) => value);
  };
  assert.deepEqual(offered('service'), SERVICES);
  assert.deepEqual(offered('time'), TIMES);
  assert.equal((await fetch(`${site.origin}/nope`)).status, 404);
});
