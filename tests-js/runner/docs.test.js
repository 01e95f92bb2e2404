/** The examples for Node in the pages about runs run as they stand. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

for (const page of ['runner', 'streaming', 'ledgers']) {
  test(`the example of ${page}.md runs`, async () => {
    const text = readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8');
    const examples = [...text.matchAll(/^```js\n(.*?)^```/gms)];
    assert.equal(examples.length, 1);
    // Beside this file, where the package's own name is known.
    const module = new URL(`docs-${page}-${process.pid}.mjs`, import.meta.url);
    writeFileSync(module, /** @type {string} */ (examples[0]?.[1]));
    try {
      await import(module.href);
    } finally {
      rmSync(module);
    }
  });
}
