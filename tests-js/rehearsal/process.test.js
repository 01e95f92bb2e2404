/** Rehearsal servers and what they run in: processes, worker threads, the collector (D-8). */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { APIConnectionError } from 'swingbridge';
import { RehearsalServer } from 'swingbridge/rehearsal';
import { reasonOf } from '../client/service.js';
import { settled } from '../support.js';
import { ask, saying } from './support.js';

const PROGRAM = new URL('./program.js', import.meta.url);

for (const [task, words] of [
  ['leave', 'left open'],
  ['exit', 'exiting'],
]) {
  test(`a process ends with a server: ${task}`, async () => {
    const program = promisify(execFile)(process.execPath, [fileURLToPath(PROGRAM), task]);
    assert.deepEqual(await program, { stdout: `${words}\n`, stderr: '' });
  });
}

test('worker threads have servers of their own, which end with them', async () => {
  const worker = new Worker(PROGRAM, { argv: ['leave'] });
  const exited = once(worker, 'exit');
  assert.deepEqual(await once(worker, 'message'), ['left open']);
  assert.deepEqual(await exited, [0]);
});

test('a worker that is ended gives the port back', async () => {
  const worker = new Worker(PROGRAM, { argv: ['serve'] });
  const [url] = await once(worker, 'message');
  assert.equal(await ask({ url }), 'served');
  await worker.terminate();
  assert.ok((await reasonOf(ask({ url }))) instanceof APIConnectionError);
  const next = await RehearsalServer.start(saying('next'), { port: Number(new URL(url).port) });
  assert.equal(await ask(next), 'next');
  await next.stop();
});

test('a server that nobody holds serves on', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const urlOf = async () => (await RehearsalServer.start(saying('here'))).url;
  const url = await urlOf();
  for (const _ of [1, 2, 3]) {
    collect();
    await settled();
  }
  assert.equal(await ask({ url }), 'here');
});
