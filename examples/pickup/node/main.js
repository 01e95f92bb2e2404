// The pick-up demo: a model works by screenshots and coordinates in a real browser, and a person approves (C-7, D-4).
//
//   node main.js              rehearsal: scripted choices over HTTP, no key, nothing leaves the machine
//   node main.js --live MODEL the model chooses; needs OPENAI_API_KEY, and OPENAI_BASE_URL for another service
//
// Each click and each key is approved in the terminal. Without a terminal the demo approves by itself and says so.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { Client, ComputerToolset } from 'swingbridge';
import { PlaywrightComputerDriver } from 'swingbridge/drivers/playwright-computer';
import { RehearsalServer } from 'swingbridge/rehearsal';
import { openPickupSite } from './pickup-site.js';

const MAX_REQUESTS = 8;
// What the model of the rehearsal chooses: it clicks where the button is in a window of this size.
const SCRIPT = new URL('../script.yaml', import.meta.url);
const VIEWPORT = { width: 1120, height: 720 };
const PICTURE = path.join(import.meta.dirname, '../../../out/pickup-node.png');
const TASK =
  'On the screen is a page about a parcel. Show its pick-up details, then tell me the locker, the code and until ' +
  'when it can be collected. Do nothing else.';
// What only looks, or waits.
const HARMLESS = ['screenshot', 'move', 'wait', 'scroll'];

async function main() {
  const { values } = parseArgs({ options: { live: { type: 'string' } } });
  const folder = await mkdtemp(path.join(os.tmpdir(), 'pickup-'));
  const site = await openPickupSite(folder);
  let service;
  let browser;
  try {
    say('site', `serving ${site.origin} on this machine`);
    service = await openService(values.live);
    browser = await chromium.launch(launchOptions());
    const page = await browser.newPage({ viewport: VIEWPORT });
    await page.goto(site.origin);
    say('browser', `Chromium ${browser.version()} opened '${await page.title()}'`);
    const driver = new PlaywrightComputerDriver(page);
    const response = await new ComputerToolset(driver).run(
      service.client,
      { model: values.live ?? 'rehearsal', input: TASK },
      { maxSteps: MAX_REQUESTS, approveSafetyChecks, beforeAction, onDiagnostic: report },
    );
    const answer = response.output_text;
    say('model', answer);
    const shown = await page.locator('#details').innerText();
    await keepPicture(driver);
    verify(await site.records(), shown, answer);
    service.verify();
  } finally {
    await browser?.close();
    await service?.close();
    await site.close();
    await rm(folder, { recursive: true });
  }
}

/** Lets the model look; asks a person before it touches anything. */
async function beforeAction({ type, ...given }) {
  const fields = Object.entries(given).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const what = [type, ...fields].join(' ');
  if (HARMLESS.includes(type)) {
    say('approve', `${what}: only looking, allowed by the demo`);
    return true;
  }
  return ask(`the model wants to ${what}`);
}

/** Shows what the service warns of, and asks a person. */
async function approveSafetyChecks({ pending_safety_checks: checks }) {
  return ask(`the service warns: ${checks.map(({ message, code }) => message ?? code).join('; ')}`);
}

/** Whether a person agrees. */
async function ask(question) {
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

/** Prints what the helper says of each step: no coordinates, no text, no pictures. */
function report({ stage, reason, member, duration_ms: duration }) {
  if (stage === 'action') say('screen', `${member} ${reason} in ${Math.round(duration)} ms`);
}

/** Reads what the site noted down; neither the page nor the model is taken at its word. */
function verify(records, shown, answer) {
  if (records.length !== 1) {
    throw new Error(`FAILED: the details were asked for ${records.length} times instead of once`);
  }
  const [record] = records;
  for (const name of ['locker', 'code', 'until']) {
    if (!shown.includes(record[name]))
      throw new Error(`FAILED: the page does not show the ${name}`);
    if (!answer.includes(record[name])) {
      throw new Error(`FAILED: the answer does not name the ${name}`);
    }
  }
  say('verified', `locker ${record.locker}, code ${record.code}: asked for once`);
}

/** Chromium without the machine's environment, and quiet on the network. */
function launchOptions() {
  return {
    args: ['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    executablePath: process.env.SWINGBRIDGE_CHROMIUM || undefined,
    // Chromium's sandbox does not start as root. In a container, run it as another user.
    chromiumSandbox: process.getuid?.() !== 0,
    env: {},
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
      if (server.turnsLeft > 0) {
        throw new Error(`FAILED: ${server.turnsLeft} turns were not asked for`);
      }
      say('verified', `all ${server.requests().length} requests went to the rehearsal over HTTP`);
    },
    close: () => server.stop(),
  };
}

async function keepPicture(driver) {
  const { image_url } = await driver.screenshot({ signal: undefined });
  await mkdir(path.dirname(PICTURE), { recursive: true });
  await writeFile(PICTURE, Buffer.from(image_url.split(',')[1], 'base64'));
  say('picture', `out/${path.basename(PICTURE)} shows the page at the end`);
}

function say(who, what) {
  console.log(`  ${who.padEnd(10)}${what}`);
}

console.log('Pick-up demo, Node');
try {
  await main();
} catch (error) {
  console.error(`  ${error.message}`);
  process.exitCode = 1;
}
