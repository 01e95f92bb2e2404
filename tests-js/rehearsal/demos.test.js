/**
 * The demos run over HTTP to a rehearsal without another package's client, and fail when the task was not
 * really done (D-4, D-8).
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { launchOptions } from '../drivers/support/rig.js';

const ROOT = new URL('../../', import.meta.url);
const COMMAND = new URL('bindings-node/dist/cli.js', ROOT);
const REHEARSAL = new URL('bindings-node/dist/rehearsal.js', ROOT);
const FOLDER = mkdtempSync(path.join(tmpdir(), 'demos-'));
after(() => rmSync(FOLDER, { recursive: true }));

const DEMOS = {
  booking: /verified {2}LC-1042: vaccination, 2027-03-05T14:15, Robin Vale\n/,
  pickup: /verified {2}locker B17, code 4083: asked for once\n/,
};

const urlOf = (text) => `data:text/javascript,${encodeURIComponent(text)}`;

/** Makes the package `openai` one that cannot be imported. */
const REFUSED = urlOf(`
  import { register } from 'node:module';
  register(${JSON.stringify(
    urlOf(`export async function resolve(name, context, next) {
      if (/^openai(\\/|$)/.test(name)) throw new Error('openai is not here');
      return next(name, context);
    }`),
  )});
`);

/** Gives every rehearsal this script. */
const playing = (script) =>
  urlOf(`
    import { RehearsalServer } from ${JSON.stringify(REHEARSAL)};
    const { fromFile } = RehearsalServer;
    RehearsalServer.fromFile = () => fromFile(${JSON.stringify(script)});
  `);

const mainOf = (demo) => fileURLToPath(new URL(`examples/${demo}/node/main.js`, ROOT));
const scriptOf = (demo) => new URL(`examples/${demo}/script.yaml`, ROOT);

/** A program without a terminal and without `openai`: `{ code, stdout, stderr }`. */
function run(...given) {
  const { executablePath } = launchOptions();
  const env = { ...process.env, NODE_OPTIONS: `--import ${JSON.stringify(REFUSED)}` };
  if (executablePath) env.SWINGBRIDGE_CHROMIUM = executablePath;
  return new Promise((resolve) => {
    const child = execFile(process.execPath, given, { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
    child.stdin.end();
  });
}

test('nothing can import openai here', async () => {
  const { code, stderr } = await run('--input-type=module', '--eval', "await import('openai')");
  assert.equal(code, 1);
  assert.match(stderr, /openai is not here/);
});

for (const [demo, verified] of Object.entries(DEMOS)) {
  test(`${demo}: the task is done over HTTP, and verified`, async () => {
    const picture = new URL(`out/${demo}-node.png`, ROOT);
    rmSync(picture, { force: true });
    const { code, stdout, stderr } = await run(mainOf(demo));
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(
      stdout,
      /service +a rehearsal, asked over HTTP at http:\/\/127\.0\.0\.1:\d+\/v1\n/,
    );
    assert.match(stdout, /approved by itself/);
    assert.match(stdout, verified);
    assert.match(stdout, /verified {2}all \d requests went to the rehearsal over HTTP\n$/);
    assert.equal(readFileSync(picture).subarray(1, 4).toString(), 'PNG');
  });

  test(`${demo}: a service is found by the variables of OpenAI`, async () => {
    const script = fileURLToPath(scriptOf(demo));
    const program = [process.execPath, mainOf(demo), '--live', 'rehearsal'];
    const given = [fileURLToPath(COMMAND), 'rehearse', script, '--', ...program];
    const { code, stdout, stderr } = await run(...given);
    assert.equal(code, 0, stderr);
    assert.match(stdout, verified);
    assert.match(stderr, /^listening on .*\n(200 turn \d\n)+$/);
  });
}

const CHANGES = [
  ['booking', 'Robin Vale', 'Robin Dale', /FAILED: Name was saved as "Robin Dale"/],
  ['booking', /The reference is.*/, 'Goodbye.', /FAILED: the answer does not name the reference/],
  ['booking', /$/, '  - message: more', /FAILED: 1 turns were not asked for/],
  ['pickup', /\n.*type: move.*\n.*type: click.*\n/, ' [{ type: wait }]\n', /asked for 0 times/],
  ['pickup', 'Its code is 4083.', '', /does not name the code/],
  ['pickup', /$/, '  - message: more', /FAILED: 1 turns were not asked for/],
];

for (const [index, [demo, from, to, words]] of CHANGES.entries()) {
  test(`${demo}: it fails when that is not so: ${words}`, async () => {
    const text = readFileSync(scriptOf(demo), 'utf8');
    const changed = text.replace(from, to);
    assert.notEqual(changed, text);
    const script = path.join(FOLDER, `${index}.yaml`);
    writeFileSync(script, changed);
    const given = ['--import', playing(pathToFileURL(script).pathname), mainOf(demo)];
    const { code, stderr } = await run(...given);
    assert.equal(code, 1);
    assert.match(stderr, words);
  });
}
