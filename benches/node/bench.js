// CPU time per browser call, beside the published `openai` helper in the same process.
//
// Prints one line a case: microseconds of CPU of each package and their ratio. Rounds of the two packages alternate,
// and the best round of each counts, so that a busy machine disturbs both alike. Needs Node >= 22 for the npm client.

import { BrowserToolset as Published } from 'openai/helpers/browser';
import { BrowserToolset } from 'swingbridge';

const ROUNDS = 9;
const SECONDS_PER_ROUND = 0.15;
const ROLES = ['button', 'textbox', 'combobox', 'checkbox', 'radio', 'slider', 'listbox'];

const STATE = {
  tabs: [
    { id: 'tab-1', title: 'Book a table', url: 'https://example.com/book?day=1', active: true },
  ],
};
const READ = {
  version: 1,
  text: 'Pick a day and a time. '.repeat(40),
  elements: Array.from({ length: 200 }, (_, index) => element(index)),
  omitted: ['private'],
};
const SCREENSHOT = {
  type: 'input_image',
  image_url: 'data:image/png;base64,' + 'iVBORw0KGgo'.repeat(95_326),
  detail: 'original',
};
const CALLS = {
  click: call('click', '{"target":"g1-e7","tab_id":null}'),
  'read, 200 elements': call('read_page', '{"tab_id":null,"filter":"all"}'),
  'screenshot, 1 MB': call('screenshot', '{"tab_id":null}'),
};

function element(index) {
  const role = ROLES[index % ROLES.length];
  const report = { ref: `g1-e${index}`, role, label: `Control number ${index}` };
  if (role === 'textbox') report.value = `value ${index}`;
  if (role === 'checkbox' || role === 'radio') report.checked = index % 2 === 0;
  if (role === 'combobox') {
    report.options = Array.from({ length: 4 }, (_, n) => ({
      label: `Option ${n}`,
      value: String(n),
    }));
  }
  return report;
}

function call(member, args) {
  return {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name: `browser_${member}`,
    arguments: args,
    status: 'completed',
  };
}

// A driver that costs nothing: what is measured is the helper.
const driver = {
  state: async () => STATE,
  click: async () => undefined,
  read_page: async () => READ,
  screenshot: async () => SCREENSHOT,
};

function caseOf(Toolset, wire) {
  const toolset = new Toolset(driver, {
    members: ['click', 'read_page', 'screenshot'],
    confirm: async () => true,
  });
  return async (times) => {
    globalThis.gc?.();
    const before = process.cpuUsage();
    for (let done = 0; done < times; done += 1) await toolset.execute(wire);
    const spent = process.cpuUsage(before);
    return (spent.user + spent.system) / 1e6;
  };
}

async function calibrate(run) {
  let times = 20;
  let spent = await run(times);
  while (spent < SECONDS_PER_ROUND / 4) {
    times *= 4;
    spent = await run(times);
  }
  return Math.max(10, Math.floor((times * SECONDS_PER_ROUND) / spent));
}

async function row(name, ours, theirs) {
  const cases = [ours, theirs];
  const times = [await calibrate(ours), await calibrate(theirs)];
  const best = [Infinity, Infinity];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const index of [0, 1]) {
      best[index] = Math.min(best[index], (await cases[index](times[index])) / times[index]);
    }
  }
  const [mine, other] = best.map((seconds) => seconds * 1e6);
  const cell = (value) => `${value.toFixed(1)} µs`.padStart(14);
  console.log(
    `${name.padEnd(34)}${cell(mine)}${cell(other)}${(other / mine).toFixed(1).padStart(8)}×`,
  );
}

console.log(
  `${'case'.padEnd(34)}${'swingbridge'.padStart(14)}${'openai'.padStart(14)}${'ratio'.padStart(9)}`,
);
for (const [name, wire] of Object.entries(CALLS)) {
  await row(
    `node ${process.versions.node}, ${name}`,
    caseOf(BrowserToolset, wire),
    caseOf(Published, wire),
  );
}
