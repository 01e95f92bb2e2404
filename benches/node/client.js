// CPU time of the native client beside that of the npm `openai` client, over loopback.
//
// Prints milliseconds of CPU and the ratio: whole runs whose history grows by a screenshot of a megabyte with each turn (and
// the same with this package's runner on the published client), a stream of events, read by itself and in a run, and small
// requests one after another. A run is always of a package's runner on its own client, else. The service is another process.
// Needs Node >= 22 for the npm client.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import OpenAI from 'openai';
import { ComputerToolset as PublishedToolset } from 'openai/helpers/computer';
import { ResponsesToolRunner as Published } from 'openai/helpers/responses-tool-runner';
import { Client, ComputerToolset, ResponsesToolRunner } from 'swingbridge';
import { cpuSeconds } from './measure.js';

const ROUNDS = 3;
const TURNS = 50;
const EVENTS = 20_000;
const REQUESTS = 1_000;
const PICTURE = `data:image/png;base64,${'A'.repeat(1 << 20)}`;
const BODY = { model: 'm', input: 'look' };

const service = fork(new URL('./client-service.js', import.meta.url), [
  String(TURNS),
  String(EVENTS),
]);
const [port] = await once(service, 'message');
const baseURL = (task) => `http://127.0.0.1:${port}/${task}/v1`;
const ours = (task) => new Client({ apiKey: 'k', baseURL: baseURL(task), maxRetries: 0 });
const theirs = (task) => new OpenAI({ apiKey: 'k', baseURL: baseURL(task), maxRetries: 0 });

const nothing = async () => undefined;
const driver = {
  ...Object.fromEntries(
    ['click', 'double_click', 'drag', 'keypress', 'move', 'scroll', 'type', 'wait'].map((name) => [
      name,
      nothing,
    ]),
  ),
  // A fresh text each time, as a capture gives.
  screenshot: async () => ({
    type: 'computer_screenshot',
    image_url: Buffer.from(PICTURE).toString(),
  }),
};

function runs(Runner, Toolset, client) {
  const runner = new Runner({ computer: new Toolset(driver) });
  const params = { ...BODY, tools: [{ type: 'computer' }] };
  const options = { maxSteps: TURNS + 1 };
  return () => cpuSeconds(() => runner.run(client, params, options));
}

function streams(client) {
  return () =>
    cpuSeconds(async () => {
      let seen = 0;
      for await (const _ of await client.responses.create({ ...BODY, stream: true })) seen += 1;
      if (seen !== EVENTS) throw new Error(`${seen} events`);
    });
}

function streamedRuns(Runner, client) {
  const runner = new Runner({});
  return () => cpuSeconds(() => runner.run(client, BODY, { stream: true }));
}

function requests(client) {
  return () =>
    cpuSeconds(async () => {
      for (let count = 0; count < REQUESTS; count += 1) await client.responses.create(BODY);
    });
}

async function row(name, mine, other) {
  const best = [Infinity, Infinity];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, run] of [mine, other].entries()) {
      best[index] = Math.min(best[index], await run());
    }
  }
  const [ourTime, theirTime] = best.map((seconds) => seconds * 1e3);
  const cell = (value) => `${value.toFixed(1)} ms`.padStart(14);
  const ratio = `${(theirTime / ourTime).toFixed(1)}×`.padStart(8);
  console.log(`${name.padEnd(50)}${cell(ourTime)}${cell(theirTime)}${ratio}`);
}

console.log(`${''.padEnd(50)}${'swingbridge'.padStart(14)}${'openai'.padStart(14)}`);
const published = runs(Published, PublishedToolset, theirs('turns'));
await row(
  `run of ${TURNS} turns with 1 MB each`,
  runs(ResponsesToolRunner, ComputerToolset, ours('turns')),
  published,
);
await row(
  '  its own runner on the published client',
  runs(ResponsesToolRunner, ComputerToolset, theirs('turns')),
  published,
);
await row(`${EVENTS} events`, streams(ours('events')), streams(theirs('events')));
await row(
  `  the same in a run`,
  streamedRuns(ResponsesToolRunner, ours('events')),
  streamedRuns(Published, theirs('events')),
);
await row(`${REQUESTS} small requests`, requests(ours('small')), requests(theirs('small')));
service.kill();
