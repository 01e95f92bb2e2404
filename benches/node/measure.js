// Measures CPU time of two packages side by side and prints a line a case.

const ROUNDS = 9;
const SECONDS_PER_ROUND = 0.15;
const UNITS = { µs: 1e6, ms: 1e3 };

export function header() {
  console.log(
    `${'case'.padEnd(50)}${'swingbridge'.padStart(14)}${'openai'.padStart(14)}${'ratio'.padStart(9)}`,
  );
}

/** The CPU time of some work, garbage of earlier work aside. */
export async function cpuSeconds(work) {
  globalThis.gc?.();
  const before = process.cpuUsage();
  await work();
  const spent = process.cpuUsage(before);
  return (spent.user + spent.system) / 1e6;
}

/** Both cases do their work so many times and give the seconds that it took. The best round of each counts. */
export async function row(name, ours, theirs, unit = 'µs') {
  const cases = [ours, theirs];
  const times = [await calibrate(ours), await calibrate(theirs)];
  const best = [Infinity, Infinity];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const index of [0, 1]) {
      best[index] = Math.min(best[index], (await cases[index](times[index])) / times[index]);
    }
  }
  const [mine, other] = best.map((seconds) => seconds * UNITS[unit]);
  const cell = (value) => `${value.toFixed(1)} ${unit}`.padStart(14);
  console.log(
    `${name.padEnd(50)}${cell(mine)}${cell(other)}${(other / mine).toFixed(1).padStart(8)}×`,
  );
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
