/** The examples for Node in the pages about runs run as they stand. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

for (const [page, count] of /** @type {const} */ ([
  ['runner', 2],
  ['streaming', 1],
  ['ledgers', 1],
])) {
  test(`the examples of ${page}.md run`, async () => {
    const text = readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8');
    const examples = [...text.matchAll(/^```js\n(.*?)^```/gms)];
    assert.equal(examples.length, count);
    for (const [index, [, example]] of examples.entries()) {
      // Beside this file, where the package's own name is known.
      const name = `docs-${page}-${index}-${process.pid}.mjs`;
      const module = new URL(name, import.meta.url);
      writeFileSync(module, /** @type {string} */ (example));
      try {
        await import(module.href);
      } finally {
        rmSync(module);
      }
    }
  });
}
