// CPU time of computer calls and loops, beside the published `openai` helper in the same process, and the peak memory of a
// loop, each package in a process of its own. Needs Node >= 22 for the npm client.
//
// The screenshots are of 1 MB. The loop has 50 turns; its client is a test double whose responses are made beforehand.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { cpuSeconds, header, peak, row } from './measure.js';

const TURNS = 50;
const MEBIBYTE = 1 << 20;
const HELPERS = { swingbridge: 'swingbridge/helpers/computer', openai: 'openai/helpers/computer' };
const PARAMS = { model: 'm', input: 'Book a table.' };

/** A text of its own each time, in one piece, as a decoder would give it. */
function picture(number) {
  const bytes = Buffer.alloc(MEBIBYTE, 'iVBORw0KGgo=');
  bytes.write(`data:image/png;base64,${number};`);
  return bytes.toString('latin1');
}

const call = (number) => ({
  type: 'computer_call',
  id: `cu_${number}`,
  call_id: `call_${number}`,
  status: 'completed',
  pending_safety_checks: [],
  actions: [
    { type: 'click', x: 400, y: 300, button: 'left' },
    { type: 'type', text: 'a table for two' },
  ],
});
const responseOf = (number, item) => ({
  id: `resp_${number}`,
  status: 'completed',
  output: [item],
});
const MESSAGE = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Done.', annotations: [] }],
};

/** A driver that costs nothing: what is measured is the helper. */
function driverOf(take) {
  const act = async () => undefined;
  const names = ['click', 'double_click', 'drag', 'keypress', 'move', 'scroll', 'type', 'wait'];
  const screenshot = async () => ({ type: 'computer_screenshot', image_url: take() });
  return { ...Object.fromEntries(names.map((name) => [name, act])), screenshot };
}

const approved = { beforeAction: async () => true };

function executeCase({ ComputerToolset }, options) {
  const shot = picture(0);
  const toolset = new ComputerToolset(driverOf(() => shot));
  const wire = call(1);
  return (times) =>
    cpuSeconds(async () => {
      for (let done = 0; done < times; done += 1) await toolset.execute(wire, options);
    });
}

function loopCase({ ComputerToolset }, options) {
  const shots = Array.from({ length: TURNS }, (_, number) => picture(number));
  const responses = Array.from({ length: TURNS }, (_, step) => responseOf(step, call(step)));
  responses.push(responseOf(TURNS, MESSAGE));
  let step = 0;
  const toolset = new ComputerToolset(driverOf(() => shots[step - 1]));
  // The published helper reads `_options` between two requests.
  const client = { _options: {}, responses: { create: async () => responses[step++] } };
  return (times) =>
    cpuSeconds(async () => {
      for (let done = 0; done < times; done += 1) {
        step = 0;
        await toolset.run(client, PARAMS, { maxSteps: TURNS + 1, ...options });
      }
    });
}

/** Runs one loop that keeps nothing but its history, and prints the peak of the process in MiB. */
async function measurePeak(name, turns) {
  const { ComputerToolset } = await import(HELPERS[name]);
  const bytes = Buffer.alloc(MEBIBYTE, 'iVBORw0KGgo=');
  let step = 0;
  const take = () => {
    bytes.write(`data:image/png;base64,${step};`);
    return bytes.toString('latin1');
  };
  const toolset = new ComputerToolset(driverOf(take));
  const create = async () => {
    // What nobody holds any more does not count.
    globalThis.gc();
    step += 1;
    return responseOf(step, step > turns ? MESSAGE : call(step));
  };
  await toolset.run({ _options: {}, responses: { create } }, PARAMS, { maxSteps: turns + 1 });
  console.log(peak() / MEBIBYTE);
}

function peakOf(name, turns) {
  const script = fileURLToPath(import.meta.url);
  const measure = () =>
    execFileSync(process.execPath, ['--expose-gc', script, name, String(turns)]);
  return Math.min(...Array.from({ length: 3 }, () => Number(measure())));
}

async function main() {
  const [ours, theirs] = await Promise.all(Object.values(HELPERS).map((helper) => import(helper)));
  const rows = async (name, caseOf, unit) => {
    for (const [how, options] of [
      ['', undefined],
      [', each action approved', approved],
    ]) {
      const label = `node ${process.versions.node}, ${name}${how}`;
      await row(label, caseOf(ours, options), caseOf(theirs, options), unit);
    }
  };
  header();
  await rows('2 actions', executeCase, 'µs');
  await rows(`loop of ${TURNS} turns`, loopCase, 'ms');
  console.log(`\npeak memory that a loop adds; its screenshots are ${TURNS} MiB`);
  for (const name of Object.keys(HELPERS)) {
    const grown = peakOf(name, TURNS) - peakOf(name, 0);
    console.log(`${name.padEnd(50)}${`${grown.toFixed(1)} MiB`.padStart(14)}`);
  }
}

const [name, turns] = process.argv.slice(2);
await (name === undefined ? main() : measurePeak(name, Number(turns)));
