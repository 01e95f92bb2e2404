// The native client beside the npm `openai` client, over HTTP on 127.0.0.1. A run is of a package's runner on its own client.
//
// Each package does each case in a process of its own, and the service is a third, so that CPU time and memory are the
// client's only. Printed are
//
// - `cpu`, `wall`: of the whole case, or of one request where it says so; connections are open already;
// - `memory`: what the case adds at its peak to what its process held before, also as a multiple of the screenshots in the
//   history, which the run holds at its end and sends with its last request;
// - `first byte sent`: from the call of `create` until the first byte of the request is at the service, which looks at the
//   clock when it has read it (see `client_service.py`);
// - `call`: from the call of `create` until its promise has given the response. What the service takes is in it, for both
//   alike.
//
// Both latencies are given as the median and the 99th percentile of 1,000 requests, one after another. Arguments are the
// names of cases, for a part. Needs Node >= 22 for the npm client.

import { bestRounds, header, line, serveRounds, startService, WORKER } from './measure.js';

const TURNS = 50;
const PICTURE = 1_000_000;
const EVENTS = 20_000;
const SMALL = 1_000;
const TASKS = 32;
const TASK_TURNS = 10;
const PARAMS = { model: 'm', input: 'look' };
const LOOK = {
  tool: {
    type: 'function',
    name: 'look',
    parameters: { type: 'object', properties: {}, required: [] },
    strict: false,
  },
  execute: async () => 'seen',
};

async function main(names) {
  const service = await startService();
  header('client');
  try {
    for (const name of names.length > 0 ? names : Object.keys(CASES)) {
      const { title, rows, rounds = 3 } = CASES[name];
      const best = await bestRounds(name, [service.url], rounds);
      for (const [measure, label, unit, divisor = 1] of rows) {
        const [mine, other] = best.map((lowest) => lowest[measure] / divisor);
        line(`${title}: ${label}`, mine, other, unit);
      }
    }
  } finally {
    service.end();
  }
}

async function work(name, packageName, url) {
  const parts = await PARTS[packageName]();
  const { path, begin } = CASES[name];
  const client = new parts.Client({ apiKey: 'k', baseURL: `${url}${path}/v1`, maxRetries: 0 });
  serveRounds(await begin(client, parts));
}

/** Only one package is loaded in a process. */
const PARTS = {
  swingbridge: () => import('swingbridge'),
  openai: async () => {
    const [client, computer, runner] = await Promise.all(
      ['openai', 'openai/helpers/computer', 'openai/helpers/responses-tool-runner'].map(
        (name) => import(name),
      ),
    );
    return { Client: client.default, ...computer, ...runner };
  },
};

// --- the cases -----------------------------------------------------------------------------------

/** A driver that does nothing; its pictures are new texts each time, as a capture gives. */
function desk() {
  const names = ['click', 'double_click', 'drag', 'keypress', 'move', 'scroll', 'type', 'wait'];
  const bytes = Buffer.alloc(PICTURE, 'A');
  let number = 0;
  return {
    ...Object.fromEntries(names.map((name) => [name, async () => undefined])),
    screenshot: async () => {
      number += 1;
      bytes.write(`data:image/png;base64,${String(number).padStart(8, '0')}`);
      return { type: 'computer_screenshot', image_url: bytes.toString('latin1') };
    },
  };
}

async function screenshots(client, { ComputerToolset, ResponsesToolRunner }) {
  const runner = new ResponsesToolRunner({ computer: new ComputerToolset(desk()) });
  const options = { maxSteps: TURNS + 1, beforeAction: async () => true };
  await client.responses.create(PARAMS);
  return async () => finished(await runner.run(client, PARAMS, options));
}

async function stream(client) {
  const read = async () => {
    let seen = 0;
    for await (const _ of await client.responses.create({ ...PARAMS, stream: true })) seen += 1;
    if (seen !== EVENTS) throw new Error(`${seen} events`);
  };
  await read();
  return read;
}

async function streamedRun(client, { ResponsesToolRunner }) {
  const runner = new ResponsesToolRunner({});
  const run = async () => finished(await runner.run(client, PARAMS, { stream: true }));
  await run();
  return run;
}

async function small(client) {
  await client.responses.create(PARAMS);
  return async () => {
    const seen = [];
    const before = process.cpuUsage();
    for (let count = 0; count < SMALL; count += 1) {
      const begun = process.hrtime.bigint();
      const response = await client.responses.create(PARAMS);
      seen.push({ begun, ended: process.hrtime.bigint(), response });
    }
    const { user, system } = process.cpuUsage(before);
    const sent = seen.map(({ begun, response }) => BigInt(response.metadata.arrived) - begun);
    const calls = seen.map(({ begun, ended }) => ended - begun);
    const each = (user + system) / 1e6 / SMALL;
    return { each, ...quantiles('sent', sent), ...quantiles('call', calls) };
  };
}

function quantiles(name, nanoseconds) {
  const sorted = nanoseconds.map(Number).sort((one, other) => one - other);
  const at = (part) => sorted[Math.floor(sorted.length * part)] * 1e-9;
  return { [`${name}Median`]: at(0.5), [`${name}P99`]: at(0.99) };
}

async function concurrent(client, { ResponsesToolRunner }) {
  const options = { maxSteps: TASK_TURNS + 1 };
  const run = async () =>
    finished(await new ResponsesToolRunner({ functions: [LOOK] }).run(client, PARAMS, options));
  const runs = () => Promise.all(Array.from({ length: TASKS }, run));
  await runs();
  return async () => void (await runs());
}

function finished(response) {
  if (response.status !== 'completed' || response.output.at(-1).type !== 'message') {
    throw new Error('the run did not come to its end');
  }
}

const CPU = ['cpu', 'cpu', 'ms'];
const WALL = ['wall', 'wall', 'ms'];
const MEMORY = ['memory', 'memory', 'MB'];
const CASES = {
  screenshots: {
    title: `${TURNS} turns of 1 MB`,
    path: `/computer/${TURNS}`,
    begin: screenshots,
    rows: [CPU, WALL, MEMORY, ['memory', 'memory / screenshots', '×', TURNS * PICTURE]],
  },
  stream: { title: `${EVENTS} events`, path: '/events/0', begin: stream, rows: [CPU, WALL] },
  streamedRun: {
    title: `${EVENTS} events in a run`,
    path: '/events/0',
    begin: streamedRun,
    rows: [CPU, WALL],
  },
  small: {
    title: `${SMALL} requests`,
    path: '/plain/0',
    begin: small,
    rows: [
      ['each', 'cpu each', 'µs'],
      ['sentMedian', 'first byte sent, median', 'µs'],
      ['sentP99', 'first byte sent, 99 %', 'µs'],
      ['callMedian', 'call, median', 'µs'],
      ['callP99', 'call, 99 %', 'µs'],
    ],
  },
  concurrent: {
    title: `${TASKS} runs of ${TASK_TURNS} turns`,
    path: `/function/${TASK_TURNS}`,
    begin: concurrent,
    rows: [CPU, WALL, MEMORY],
  },
};

const [mode, ...rest] = process.argv.slice(2);
await (mode === WORKER ? work(...rest) : main(process.argv.slice(2)));
