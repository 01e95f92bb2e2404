// The booking demo: a model books an appointment in a real browser, and a person approves (D-4).
//
//   node main.js              rehearsal: scripted choices over HTTP, no key, nothing leaves the machine
//   node main.js --live MODEL the model chooses; needs OPENAI_API_KEY, and OPENAI_BASE_URL for another service
//
// Approval is asked in the terminal. Without a terminal the demo approves by itself and says so.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { BrowserToolset, Client, ResponsesToolRunner } from 'swingbridge';
import { PlaywrightBrowserDriver } from 'swingbridge/drivers/playwright';
import { RehearsalServer } from 'swingbridge/rehearsal';
import { openBookingSite } from './booking-site.js';

const MAX_REQUESTS = 12;
// What the model of the rehearsal chooses, from what the tools told it before.
const SCRIPT = new URL('../script.yaml', import.meta.url);
const PICTURE = path.join(import.meta.dirname, '../../../out/booking-node.png');
const WANTED = {
  Service: 'vaccination',
  Time: '2027-03-05T14:15',
  Name: 'Robin Vale',
  Email: 'robin.vale@example.com',
  Notes: 'Please call on arrival.',
};
const TASK =
  `Book a vaccination on Friday 5 March at 14:15 for ${WANTED.Name}, ${WANTED.Email}, on the page that is open. ` +
  `Put this into the notes: ${WANTED.Notes} Accept the terms. Then tell me the reference.`;
const MEMBERS = [
  'read_page',
  'get_page_text',
  'type',
  'select_option',
  'set_checked',
  'click',
  'wait_for',
  'screenshot',
];
// What a person must decide. Looking at the page and filling in its form changes nothing yet.
const SUBMISSIONS = ['click', 'key'];

async function main() {
  const { values } = parseArgs({ options: { live: { type: 'string' } } });
  const folder = await mkdtemp(path.join(os.tmpdir(), 'booking-'));
  const site = await openBookingSite(folder);
  let service;
  let browser;
  try {
    say('site', `serving ${site.origin} on this machine`);
    service = await openService(values.live);
    browser = await chromium.launch(launchOptions());
    const context = await browser.newContext({ viewport: { width: 1120, height: 900 } });
    const page = await context.newPage();
    await page.goto(site.origin);
    say('browser', `Chromium ${browser.version()} opened '${await page.title()}'`);
    const driver = new PlaywrightBrowserDriver(context);
    const toolset = new BrowserToolset(driver, { members: MEMBERS, confirm });
    const response = await new ResponsesToolRunner({ browser: toolset }).run(
      service.client,
      { model: values.live ?? 'rehearsal', input: TASK },
      { maxSteps: MAX_REQUESTS, onDiagnostic: report },
    );
    say('model', response.output_text);
    await keepPicture(driver);
    verify(await site.records(), response.output_text);
    service.verify();
  } finally {
    await browser?.close();
    await service?.close();
    await site.close();
    await rm(folder, { recursive: true });
  }
}

/** Approves filling in the form; asks a person before anything is submitted. */
async function confirm({ member, arguments: given }) {
  if (!SUBMISSIONS.includes(member)) {
    say('approve', `${member} ${given.target}: filling in, allowed by the demo`);
    return true;
  }
  const question = `the model wants to ${member} ${given.target}`;
  if (!process.stdin.isTTY) {
    say('approve', `${question}: approved by itself, because there is no terminal`);
    return true;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await terminal.question(`  approve   ${question}. Allow it? [y/N] `);
    return answer.trim().toLowerCase() === 'y';
  } finally {
    terminal.close();
  }
}

/** Prints what the helper says of each step: no page text, no arguments. */
function report({ api, stage, reason, member, duration_ms: duration }) {
  if (api === 'browser' && (stage === 'action' || stage === 'arguments')) {
    say('browser', `${member} ${reason} in ${duration.toFixed(0)} ms`);
  }
  if (stage === 'request') say('request', `${reason} in ${duration.toFixed(0)} ms`);
}

/** Reads what the site saved; neither the page nor the model is taken at its word. */
function verify(records, answer) {
  if (records.length !== 1) throw new Error(`${records.length} bookings were saved instead of one`);
  const [saved] = records;
  for (const [label, wanted] of Object.entries(WANTED)) {
    const found = saved[label.toLowerCase()];
    if (found !== wanted) throw new Error(`${label} was saved as ${JSON.stringify(found)}`);
  }
  if (!answer.includes(saved.reference)) {
    throw new Error(`the answer does not name the reference ${saved.reference}`);
  }
  say('verified', `${saved.reference}: ${saved.service}, ${saved.time}, ${saved.name}`);
}

/** Chromium without the machine's environment, and quiet on the network. */
function launchOptions() {
  return {
    headless: true,
    executablePath: process.env.SWINGBRIDGE_CHROMIUM,
    args: ['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    // Chromium's sandbox does not start as root. In a container, run it as another user.
    chromiumSandbox: process.geteuid?.() !== 0,
  };
}

/** The client that the run talks to, and what there is to check and to close behind it. */
async function openService(live) {
  if (live !== undefined) {
    say('service', `${live}, at the address that the OPENAI_ variables say`);
    return { client: new Client(), verify: () => undefined, close: () => undefined };
  }
  const server = await RehearsalServer.fromFile(SCRIPT);
  say('service', `a rehearsal, asked over HTTP at ${server.url}`);
  return {
    client: new Client({ baseURL: server.url, apiKey: 'rehearsal' }),
    verify() {
      if (server.turnsLeft > 0) throw new Error(`${server.turnsLeft} turns were not asked for`);
      say('verified', `all ${server.requests().length} requests went to the rehearsal over HTTP`);
    },
    close: () => server.stop(),
  };
}

async function keepPicture(driver) {
  const { image_url: url } = await driver.screenshot({ tab_id: null }, { signal: undefined });
  await mkdir(path.dirname(PICTURE), { recursive: true });
  await writeFile(PICTURE, Buffer.from(url.split(',')[1], 'base64'));
  say('picture', `out/${path.basename(PICTURE)} shows the page at the end`);
}

function say(who, what) {
  console.log(`  ${who.padEnd(10)}${what}`);
}

console.log('Booking demo, Node');
try {
  await main();
} catch (error) {
  console.error(`FAILED: ${error.message}`);
  process.exitCode = 1;
}
