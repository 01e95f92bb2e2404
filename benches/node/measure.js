// What the Node benchmarks share: how they measure, and the lines that they print.
//
// Rounds of the two packages alternate, and the best round of each counts, so that a busy machine disturbs both alike.

import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const PACKAGES = ['swingbridge', 'openai'];
const SECONDS_PER_ROUND = 0.15;
const UNITS = { µs: 1e6, ms: 1e3, MB: 1e-6, '×': 1 };

export function header(title = 'case') {
  const names = PACKAGES.map((name) => name.padStart(14)).join('');
  console.log(`${title.padEnd(50)}${names}${'ratio'.padStart(9)}`);
}

/** Of seconds, bytes or multiples. */
export function line(name, mine, other, unit) {
  const cell = (value) =>
    `${(value * UNITS[unit]).toFixed(unit === '×' ? 2 : 1)} ${unit}`.padStart(14);
  const ratio = mine > 0 ? `${(other / mine).toFixed(1)}×` : '';
  console.log(`${name.padEnd(50)}${cell(mine)}${cell(other)}${ratio.padStart(9)}`);
}

// --- in this process -----------------------------------------------------------------------------

/** The CPU time of some work, garbage of earlier work aside. */
export async function cpuSeconds(work) {
  globalThis.gc?.();
  const before = process.cpuUsage();
  await work();
  return cpuSince(before);
}

function cpuSince(before) {
  const spent = process.cpuUsage(before);
  return (spent.user + spent.system) / 1e6;
}

/** The time of one piece of work, done often enough to be seen: both do it so many times and give the seconds. */
export async function row(name, ours, theirs, unit = 'µs') {
  await measured(name, [ours, theirs], [await calibrate(ours), await calibrate(theirs)], unit, 9);
}

/** The same for work that is long enough to be done once a round. */
export async function rowOnce(name, ours, theirs) {
  await measured(name, [ours, theirs], [1, 1], 'ms', 5);
}

async function measured(name, cases, times, unit, rounds) {
  const best = [Infinity, Infinity];
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, run] of cases.entries()) {
      best[index] = Math.min(best[index], (await run(times[index])) / times[index]);
    }
  }
  line(name, ...best, unit);
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

// --- memory --------------------------------------------------------------------------------------

const STATUS = '/proc/self/status';

/** The most bytes that this process has held at once. */
export function peak() {
  // Unlike the peak in `process.resourceUsage()` this does not begin with the peak of the parent.
  return existsSync(STATUS) ? statusBytes('VmHWM') : process.resourceUsage().maxRSS * 1024;
}

/** Begins a new peak, where the system can. */
function forgetPeak() {
  if (existsSync(STATUS)) writeFileSync('/proc/self/clear_refs', '5');
}

function statusBytes(field) {
  const [, kibibytes] = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(STATUS, 'utf8'));
  return Number(kibibytes) * 1024;
}

// --- in processes of their own -------------------------------------------------------------------

/** The service of the client benchmarks. */
export async function startService() {
  const script = fileURLToPath(new URL('../client_service.py', import.meta.url));
  const service = spawn('python', [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [port] = await once(createInterface(service.stdout), 'line');
  return { url: `http://127.0.0.1:${port}`, end: () => service.stdin.end() };
}

/**
 * The lowest of each measure of the rounds, for each package: each does its work in a process of its own, which is this
 * script with the arguments `WORKER`, the name of the case, the package and `more`.
 */
export async function bestRounds(name, more, rounds) {
  const workers = PACKAGES.map((packageName) =>
    fork(process.argv[1], [WORKER, name, packageName, ...more]),
  );
  const best = PACKAGES.map(() => ({}));
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, worker] of workers.entries()) {
        worker.send('round');
        for (const [measure, value] of Object.entries(await told(worker))) {
          best[index][measure] = Math.min(best[index][measure] ?? Infinity, value);
        }
      }
    }
  } finally {
    for (const worker of workers) worker.disconnect();
  }
  return best;
}

export const WORKER = '--worker';

async function told(worker) {
  const ended = once(worker, 'exit').then(() => {
    throw new Error('the process ended');
  });
  const [taken] = await Promise.race([once(worker, 'message'), ended]);
  return taken;
}

/**
 * The worker's side: `work` does its work once, and may tell what it has measured besides CPU and wall time in seconds and
 * memory in bytes, which is what a round adds at its peak to what was held before the first.
 */
export function serveRounds(work) {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  process.on('message', async () => {
    globalThis.gc?.();
    forgetPeak();
    const [cpu, wall] = [process.cpuUsage(), performance.now()];
    const more = await work();
    const taken = {
      cpu: cpuSince(cpu),
      wall: (performance.now() - wall) / 1e3,
      memory: Math.max(peak() - before, 0),
    };
    process.send({ ...taken, ...more });
  });
}
