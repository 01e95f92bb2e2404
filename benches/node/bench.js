// CPU time per browser call, beside the published `openai` helper in the same process.
//
// Prints one line a case: microseconds of CPU of each package and their ratio. Rounds of the two packages alternate,
// and the best round of each counts, so that a busy machine disturbs both alike. Needs Node >= 22 for the npm client.

import { BrowserToolset as Published } from 'openai/helpers/browser';
import { BrowserToolset } from 'swingbridge';
import { cpuSeconds, header, row } from './measure.js';

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
  return (times) =>
    cpuSeconds(async () => {
      for (let done = 0; done < times; done += 1) await toolset.execute(wire);
    });
}

header();
for (const [name, wire] of Object.entries(CALLS)) {
  await row(
    `node ${process.versions.node}, ${name}`,
    caseOf(BrowserToolset, wire),
    caseOf(Published, wire),
  );
}
