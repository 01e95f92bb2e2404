// The local site of the pick-up demo: a static page, and a record of each time its details were asked for.
// `pickup_site.py` in `python/` behaves the same.

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
// What the page shows once somebody has asked for it.
const DETAILS = { locker: 'B17', code: '4083', until: 'Saturday, 18:00' };

/** Serves the site on a free port of 127.0.0.1. `folder` is where `reveals.json` is kept; it must exist. */
export async function openPickupSite(folder) {
  const file = path.join(folder, 'reveals.json');
  // One at a time: each looks at the file before it adds to it.
  let last = Promise.resolve();
  const revealInTurn = () => {
    const revealed = last.then(() => reveal(file));
    last = revealed.catch(() => {});
    return revealed;
  };
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  server.on('request', (request, response) => {
    handle(request, response, { origin, revealInTurn }).catch(() => response.destroy());
  });
  return {
    /** Scheme, host and port, without a slash at the end. */
    origin,
    /** What was shown, each time, as it is in the file. */
    records: () => readRecords(file),
    close: () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections())),
  };
}

async function handle(request, response, site) {
  if (request.method === 'POST') {
    const [status, body] = await post(request, site);
    return answer(response, status, 'application/json', JSON.stringify(body));
  }
  const name = request.url === '/' ? 'index.html' : request.url.slice(1);
  const kind = TYPES[path.extname(name)];
  const isInside = !name.includes('/') && !name.includes('..');
  const body = kind && isInside ? await readFile(path.join(SITE, name)).catch(() => null) : null;
  return request.method !== 'GET' || body === null
    ? answer(response, 404, 'text/plain', 'not found')
    : answer(response, 200, kind, body);
}

async function post(request, { origin, revealInTurn }) {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (length !== '0' || encoding !== undefined) {
    return [413, { error: 'Nothing is to be sent along.' }];
  }
  if (request.url !== '/details') return [404, { error: 'There is no such page.' }];
  // Another website that is open in the same browser must not ask.
  if ((request.headers.origin ?? origin) !== origin) {
    return [403, { error: 'The details are shown on this site alone.' }];
  }
  return revealInTurn();
}

function answer(response, status, kind, body) {
  const length = Buffer.byteLength(body);
  const own = { 'Content-Type': `${kind}; charset=utf-8`, 'Content-Length': length };
  response.writeHead(status, { ...HEADERS, ...own }).end(body);
}

/** Notes that the details are shown, then gives them. */
async function reveal(file) {
  const records = await readRecords(file);
  await save(file, [...records, { number: records.length + 1, ...DETAILS }]);
  return [200, DETAILS];
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
