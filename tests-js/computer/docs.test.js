/** The examples for Node in docs/computer-driver.md run. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

const PAGE = new URL('../../docs/computer-driver.md', import.meta.url);
const examples = [...readFileSync(PAGE, 'utf8').matchAll(/^```js\n(.*?)^```/gms)];

test('there is one', () => assert.equal(examples.length, 1));

for (const [, text] of examples) {
  test('it runs', async () => {
    // Beside this file, where the package's own name is known.
    const module = new URL(`docs-${process.pid}.mjs`, import.meta.url);
    writeFileSync(module, text);
    try {
      await import(module);
    } finally {
      rmSync(module);
    }
  });
}
