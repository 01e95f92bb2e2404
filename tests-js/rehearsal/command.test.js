/** The command `swingbridge rehearse` as this package brings it (D-8); its own tests are in Rust. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ask } from './support.js';

const ROOT = new URL('../../', import.meta.url);
const MANIFEST = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
const COMMAND = fileURLToPath(new URL(MANIFEST.bin.swingbridge, ROOT));
const PROGRAM = fileURLToPath(new URL('program.js', import.meta.url));
const FOLDER = mkdtempSync(path.join(tmpdir(), 'rehearse-'));
const SCRIPT = path.join(FOLDER, 'script.yaml');
writeFileSync(SCRIPT, 'turns: [{ message: one }]');
after(() => rmSync(FOLDER, { recursive: true }));

/** What came of the command: `[exit code, output, errors]`. */
function ended(...given) {
  return new Promise((resolve) => {
    execFile(process.execPath, [COMMAND, ...given], (error, stdout, stderr) =>
      resolve([error === null ? 0 : error.code, stdout, stderr]),
    );
  });
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  test(
    `it serves until ${signal}`,
    { skip: process.platform === 'win32' ? 'Windows has no such signals' : false },
    async (t) => {
      const command = spawn(process.execPath, [COMMAND, 'rehearse', SCRIPT]);
      t.after(() => command.kill('SIGKILL'));
      const closed = once(command, 'close');
      const lines = createInterface({ input: command.stdout })[Symbol.asyncIterator]();
      const [, url] = /^listening on (\S+) \(turns: 1\)$/.exec((await lines.next()).value);
      assert.equal(await ask({ url }), 'one');
      assert.equal((await lines.next()).value, '200 turn 1');
      command.kill(signal);
      assert.deepEqual(await closed, [0, null]);
    },
  );
}

for (const code of [0, 5]) {
  test(`a program runs within it and ends with ${code}`, async () => {
    const given = ['rehearse', SCRIPT, '--', process.execPath, PROGRAM, 'ask', String(code)];
    const [exit, stdout, stderr] = await ended(...given);
    assert.deepEqual([exit, stdout], [code, 'one\n']);
    assert.match(stderr, /^listening on .*\n200 turn 1\n$/);
  });
}

test('turns that are left, and what cannot be held, have codes of their own', async () => {
  const [left, , told] = await ended('rehearse', SCRIPT, '--', process.execPath, '-e', '0');
  assert.equal(left, 1);
  assert.match(told, /\nturns left: 1 of 1\n$/);

  const [fault, , stderr] = await ended('rehearse', path.join(FOLDER, 'missing.yaml'));
  assert.equal(fault, 2);
  assert.match(stderr, /^swingbridge: .*missing\.yaml: /);
});

test('it says its version and its use', async () => {
  assert.deepEqual(await ended('--version'), [0, `swingbridge ${MANIFEST.version}\n`, '']);
  const [code, stdout] = await ended('rehearse', '--help');
  assert.equal(code, 0);
  assert.match(stdout, /Usage: swingbridge rehearse /);
});
