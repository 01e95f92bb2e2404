/** The examples for Node in the page about endpoints run as they stand; a server here answers. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { beginStream, eventText, KEY, say, serviceFor } from './service.js';

const content = [{ type: 'output_text', text: 'It is open.', annotations: [] }];
const message = { type: 'message', id: 'm', role: 'assistant', status: 'completed', content };
const WHOLE = { id: 'r', object: 'response', status: 'completed', output: [message] };

test('the examples of endpoints.md run', async (t) => {
  const text = readFileSync(new URL('../../docs/endpoints.md', import.meta.url), 'utf8');
  const examples = [...text.matchAll(/^```js\n(.*?)^```/gms)];
  assert.equal(examples.length, 2);
  const service = await serviceFor(t, ({ body }, response) => {
    if (body.stream !== true) return say(response, WHOLE);
    beginStream(response);
    response.end(eventText({ type: 'response.completed', response: WHOLE }));
  });
  process.env.OPENAI_API_KEY = KEY;
  process.env.OPENAI_BASE_URL = service.baseURL;
  t.after(() => {
    delete process.env.OPENAI_API_KEY;
    delete process.env.OPENAI_BASE_URL;
  });
  for (const [index, [, example]] of examples.entries()) {
    // Beside this file, where the package's own name is known.
    const module = new URL(`docs-endpoints-${index}-${process.pid}.mjs`, import.meta.url);
    writeFileSync(module, example);
    try {
      await import(module.href);
    } finally {
      rmSync(module);
    }
  }
  assert.equal(service.requests.length, 2);
});
