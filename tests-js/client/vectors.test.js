/** The vectors for whole runs with the native client, over HTTP. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { Client } from 'swingbridge';
import { gapIds, loadVectors } from '../conformance/harness/data.js';
import { loadPackage } from '../conformance/harness/execute.js';
import { complaints, failuresAmong } from '../conformance/harness/judge.js';
import { actsAtTurns, runRun } from '../conformance/harness/run.js';
import { withoutTurns } from '../conformance/harness/run-records.js';
import { beginStream, eventText, say } from './service.js';

const pack = await loadPackage('swingbridge');
const vectors = loadVectors('runner');
/** Each run has a service of its own, by the first part of its path. */
const services = new Map();
let server;

before(async () => {
  server = createServer(async (request, response) => {
    const service = services.get(request.url.split('/')[1]);
    const { status = 200, events, response: body } = service.answer(await json(request));
    if (events === undefined) return say(response, body ?? {}, { status });
    beginStream(response);
    response.end(events.map(eventText).join(''));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

after(() => {
  server.closeAllConnections();
  server.close();
});

/** A client of the service; `wrap` may put something around it. */
function clientOf(service, wrap = (client) => client) {
  const name = String(services.size);
  services.set(name, service);
  const baseURL = `http://127.0.0.1:${server.address().port}/${name}`;
  return wrap(new Client({ apiKey: 'k', baseURL, maxRetries: 0 }));
}

/** Hides that the client is this package's own, so that runs take the way of all clients. */
const asForeign = ({ responses }) => ({
  responses: { create: (body, options) => responses.create(body, options) },
});

const play = (method, wrap) => (vector) =>
  runRun(vector, pack, { clientOf: (service) => clientOf(service, wrap), method });

test('runs whose history is text, turn by turn', async () => {
  assert.equal(vectors.length, 673);
  const failures = await failuresAmong(vectors, play('iterate'));
  assert.equal(complaints('runner', failures, gapIds('node')).join('\n'), '');
});

test('runs whose history is text, as one call', async () => {
  const within = vectors.filter((vector) => !actsAtTurns(vector));
  const failures = await failuresAmong(within, play('run'), 'recommend', withoutTurns);
  assert.equal(complaints('runner', failures, gapIds('node')).join('\n'), '');
});

test('runs whose history is objects', async () => {
  const failures = await failuresAmong(vectors, play('iterate', asForeign));
  assert.equal(complaints('runner', failures, gapIds('node')).join('\n'), '');
});

test('observers are told the same of both (R-60)', async () => {
  const told = async (vector, wrap) => {
    const records = [];
    const observe = ({ duration_ms: _duration, ...record }) => void records.push(record);
    const given = { clientOf: (service) => clientOf(service, wrap), method: 'iterate', observe };
    await runRun(vector, pack, given);
    return records;
  };
  let count = 0;
  for (const vector of vectors) {
    const records = await told(vector);
    assert.deepEqual(records, await told(vector, asForeign), vector.id);
    count += records.length;
  }
  assert.ok(count > 900, `${count} records`);
});
