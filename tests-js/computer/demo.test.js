/** The pick-up demo runs, and fails when the details were not really asked for. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { launchOptions } from '../drivers/support/rig.js';

const DEMO = new URL('../../examples/pickup/node/', import.meta.url);
const PICTURE = new URL('../../out/pickup-node.png', import.meta.url);

/** The demo without a terminal, with `script` run before it. */
async function run(script = '') {
  const changed = `import { SCRIPT } from ${JSON.stringify(new URL('rehearsal.js', DEMO))}; ${script}`;
  const { executablePath } = launchOptions();
  const running = promisify(execFile)(
    process.execPath,
    [
      '--import',
      `data:text/javascript,${encodeURIComponent(changed)}`,
      fileURLToPath(new URL('main.js', DEMO)),
    ],
    { env: { ...process.env, ...(executablePath && { SWINGBRIDGE_CHROMIUM: executablePath }) } },
  );
  running.child.stdin.end();
  return running.then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

test('it shows and verifies the details', async () => {
  rmSync(PICTURE, { force: true });
  const { code, stdout, stderr } = await run();
  assert.equal(code, 0, stderr);
  assert.match(stdout, /click x=560 y=376 button="left": approved by itself/);
  assert.match(stdout, /verified {2}locker B17, code 4083: asked for once\n$/);
  assert.equal(readFileSync(PICTURE).subarray(1, 4).toString(), 'PNG');
});

for (const [script, words] of [
  ["SCRIPT[1] = [{ type: 'wait' }];", /asked for 0 times/],
  ["SCRIPT[3] = 'It is in locker B17.';", /does not name the code/],
]) {
  test(`it fails when that is not so: ${script}`, async () => {
    const { code, stderr } = await run(script);
    assert.equal(code, 1);
    assert.match(stderr, words);
  });
}
