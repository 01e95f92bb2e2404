/** The example for Node in docs/rehearsal.md is a test that passes as it stands. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PAGE = new URL('../../docs/rehearsal.md', import.meta.url);
const examples = [...readFileSync(PAGE, 'utf8').matchAll(/^```js\n(.*?)^```/gms)];

test('there is one', () => assert.equal(examples.length, 1));

for (const [, text] of examples) {
  test('it passes', async () => {
    // Beside this file, where the package's own name is known.
    const module = fileURLToPath(new URL(`docs-${process.pid}.mjs`, import.meta.url));
    writeFileSync(module, text);
    // Its report is its own, no part of the report of this test.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    try {
      const given = ['--test-reporter=tap', module];
      const { stdout } = await promisify(execFile)(process.execPath, given, { env });
      assert.match(stdout, /^# pass 1$/m);
    } finally {
      rmSync(module);
    }
  });
}
