/** The native client and its process: exits, worker threads, proxies (N-1, N-4). */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { deferred } from '../support.js';
import { beginStream, eventText, KEY, RESPONSE, say, serviceFor } from './service.js';

const PROGRAM = new URL('./program.js', import.meta.url);

/** What the program prints when it ends by itself; a program that hangs fails with the test. */
async function printed(task, baseURL, environment = {}) {
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [fileURLToPath(PROGRAM), task, baseURL],
    { env: { PATH: process.env.PATH, OPENAI_API_KEY: KEY, ...environment } },
  );
  return [stdout, stderr];
}

test('a process ends with an idle connection', async (t) => {
  const service = await serviceFor(t, (_request, response) => say(response, RESPONSE));
  assert.deepEqual(await printed('whole', service.baseURL), ['resp_1', '']);
});

test('a process ends with a stream that nobody reads on', async (t) => {
  const service = await serviceFor(t, (_request, response) => {
    beginStream(response);
    response.write(eventText({ type: 'event' }));
  });
  assert.deepEqual(await printed('unread', service.baseURL), ['event', '']);
});

test('a process can exit while a request is open', async (t) => {
  const service = await serviceFor(t, () => undefined);
  assert.deepEqual(await printed('exit', service.baseURL), ['exiting', '']);
});

test('services on this machine are not asked through a proxy', async (t) => {
  const service = await serviceFor(t, (_request, response) => say(response, RESPONSE));
  const nobody = 'http://127.0.0.1:1';
  const proxies = { HTTP_PROXY: nobody, HTTPS_PROXY: nobody, ALL_PROXY: nobody };
  assert.deepEqual(await printed('whole', service.baseURL, proxies), ['resp_1', '']);
});

test('others are', async (t) => {
  const proxy = await serviceFor(t, (_request, response) => say(response, RESPONSE));
  const { origin } = new URL(proxy.baseURL);
  const environment = { HTTP_PROXY: origin };
  assert.deepEqual(await printed('whole', 'http://service.invalid/v1', environment), [
    'resp_1',
    '',
  ]);
  assert.equal(proxy.requests[0].url, 'http://service.invalid/v1/responses');
});

test('worker threads have clients of their own', async (t) => {
  const service = await serviceFor(t, (request, response) =>
    say(response, { id: request.body.model }),
  );
  const workers = ['a', 'b', 'c'].map(
    (model) => new Worker(PROGRAM, { argv: ['worker', service.baseURL, model] }),
  );
  const all = (event) => Promise.all(workers.map((worker) => once(worker, event)));
  const [answers, exits] = await Promise.all([all('message'), all('exit')]);
  assert.deepEqual(answers.flat(), ['a', 'b', 'c']);
  assert.deepEqual(exits.flat(), [0, 0, 0]);
  // This thread's own are not touched by their end.
  assert.equal((await service.client().responses.create({ model: 'd' })).id, 'd');
});

test('a worker that is ended closes the sockets of its requests', async (t) => {
  const asked = deferred();
  const service = await serviceFor(t, asked.resolve);
  const worker = new Worker(PROGRAM, { argv: ['worker', service.baseURL, 'm'] });
  const { socket } = await asked.promise;
  const closed = once(socket, 'close');
  await worker.terminate();
  await closed;
});
