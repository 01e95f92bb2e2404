// The local site of the booking demo: static pages, and a form whose bookings are kept in a file.
// `booking_site.py` in `python/` behaves the same.

import { open, readFile, rename } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const SITE = fileURLToPath(new URL('../site', import.meta.url));
const TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' };
const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'self'; img-src data:; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
};
// What the page offers; a test compares the two.
export const SERVICES = ['check-up', 'vaccination', 'consultation'];
export const TIMES = ['2027-03-04T09:00', '2027-03-04T11:30', '2027-03-05T14:15'];
const TEXTS = ['token', 'service', 'time', 'name', 'email', 'notes'];
const LIMITS = { name: 80, email: 120, notes: 500 }; // characters
const MAX_BODY = 16_384; // bytes
const TOKEN = /^[A-Za-z0-9-]{8,64}$/;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const CONTROL = /[\x00-\x1f\x7f]/;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/**
 * Opens the site on a free port of 127.0.0.1. Bookings are kept in `bookings.json` in the folder,
 * which must exist; those of an earlier run count.
 */
export async function openBookingSite(folder) {
  const file = path.join(folder, 'bookings.json');
  // One booking at a time: each looks at the file before it adds to it.
  let last = Promise.resolve();
  const bookInTurn = (given) => {
    const booked = last.then(() => book(file, given));
    last = booked.catch(() => {});
    return booked;
  };
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  server.on('request', (request, response) => {
    handle(request, response, { origin, file, bookInTurn }).catch(() => response.destroy());
  });
  return {
    /** Scheme, host and port, without a slash at the end. */
    origin,
    /** The bookings as they are in the file. */
    records: () => readRecords(file),
    close: () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections())),
  };
}

async function handle(request, response, site) {
  if (request.method === 'POST') return json(response, ...(await post(request, site)));
  if (request.url === '/taken') {
    return json(
      response,
      200,
      (await readRecords(site.file)).map(({ time }) => time),
    );
  }
  const name = request.url === '/' ? 'index.html' : request.url.slice(1);
  const kind = TYPES[path.extname(name)];
  const isInside = !name.includes('/') && !name.includes('..');
  const body = kind && isInside ? await readFile(path.join(SITE, name)).catch(() => null) : null;
  return request.method !== 'GET' || body === null
    ? answer(response, 404, 'text/plain', 'not found')
    : answer(response, 200, kind, body);
}

async function post(request, { origin, bookInTurn }) {
  if (!(Number(request.headers['content-length']) <= MAX_BODY)) {
    return [413, { error: 'The booking is too large.' }];
  }
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  if (request.url !== '/bookings') return [404, { error: 'There is no such page.' }];
  // Another website that is open in the same browser must not book.
  if ((request.headers.origin ?? origin) !== origin) {
    return [403, { error: 'Bookings come from this site alone.' }];
  }
  if (request.headers['content-type']?.split(';')[0].trim() !== 'application/json') {
    return [415, { error: 'A booking is sent as JSON.' }];
  }
  return bookInTurn(parse(Buffer.concat(chunks).toString('utf8')));
}

function parse(body) {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function json(response, status, body) {
  answer(response, status, 'application/json', JSON.stringify(body));
}

function answer(response, status, kind, body) {
  const length = Buffer.byteLength(body);
  const own = { 'Content-Type': `${kind}; charset=utf-8`, 'Content-Length': length };
  response.writeHead(status, { ...HEADERS, ...own }).end(body);
}

/** Saves a booking, once for each token. Gives a status and what to tell the page. */
async function book(file, given) {
  const problem = check(given);
  if (problem !== null) return [400, { error: problem }];
  const records = await readRecords(file);
  const known = records.find(({ token }) => token === given.token);
  if (known !== undefined) {
    return [...TEXTS, 'terms'].every((name) => known[name] === given[name])
      ? [200, known]
      : [409, { error: 'This form was already sent with other details.' }];
  }
  if (records.some(({ time }) => time === given.time)) {
    return [409, { error: 'This time has just been taken. Choose another.' }];
  }
  const record = { reference: `LC-${1042 + records.length}`, ...given };
  await save(file, [...records, record]);
  return [201, record];
}

/** Replaces the file in one step: a reader sees all of it, and a crash leaves the old one. */
async function save(file, records) {
  const draft = await open(`${file}.draft`, 'w');
  try {
    await draft.writeFile(JSON.stringify(records, null, 2));
    await draft.sync();
  } finally {
    await draft.close();
  }
  await rename(`${file}.draft`, file);
}

async function readRecords(file) {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

/** What is wrong with a booking, in words for a person; null if nothing is. */
export function check(given) {
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  const names = isObject ? Object.keys(given).sort() : [];
  if (names.join() !== [...TEXTS, 'terms'].sort().join()) return 'The booking is incomplete.';
  const isText = (value) => typeof value === 'string' && !LONE_SURROGATE.test(value);
  if (!TEXTS.every((name) => isText(given[name]))) return 'The booking is incomplete.';
  if (!TOKEN.test(given.token)) return 'The booking is incomplete.';
  if (!SERVICES.includes(given.service)) return 'Choose a service.';
  if (!TIMES.includes(given.time)) return 'Choose a time.';
  if (given.name.trim() === '' || CONTROL.test(given.name)) return 'Enter your name.';
  if (!EMAIL.test(given.email)) return 'Enter your email address.';
  const isLong = ([name, limit]) => [...given[name]].length > limit;
  if (Object.entries(LIMITS).some(isLong)) return 'A field is too long.';
  return given.terms === true ? null : 'Accept the terms.';
}
