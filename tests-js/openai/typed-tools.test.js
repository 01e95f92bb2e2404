/** Tools that were made by the npm `openai` package, in this runner and in its own (R-11, P-2). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { standardResponsesFunction } from 'openai/helpers/standard-schema';
import * as published from 'openai/helpers/responses-tool-runner';
import { zodResponsesFunction } from 'openai/helpers/zod';
import * as ours from 'swingbridge/helpers/responses-tool-runner';
import { functionTool } from 'swingbridge';
import { z } from 'zod';
import { clientOf, functionCall, lookup, message, responseOf } from '../runner/double.js';

const PARAMS = { model: 'm', input: 'Rain?' };
const PARAMETERS = z.object({ city: z.string(), days: z.int() });

const MAKERS = { zodResponsesFunction, standardResponsesFunction, functionTool };
const RUNNERS = { published, ours };

/** A run whose second call may be refused, and what came of it. */
async function outcomeOf(make, { ResponsesToolRunner, runnerFunction }, days) {
  const seen = [];
  const tool = make({
    name: 'weather',
    description: 'Looks the weather up.',
    parameters: PARAMETERS,
    function: (...given) => `${seen.push(given.slice(0, 1))}`,
  });
  const calls = [
    functionCall('lookup', {}, 'a'),
    functionCall('weather', { city: 'Rome', days }, 'b'),
  ];
  const client = { ...clientOf(responseOf(calls), responseOf([message()])), _options: {} };
  const functions = [lookup(() => `${seen.push('lookup')}`), runnerFunction(tool)];
  const end = await new ResponsesToolRunner({ functions }).run(client, PARAMS).then(
    ({ output }) => ({ output }),
    ({ attemptedCallIds, completedCallIds }) => ({ attemptedCallIds, completedCallIds }),
  );
  return { ...end, seen, requests: client.requests.map(({ body }) => body) };
}

for (const [name, make] of Object.entries(MAKERS)) {
  for (const days of [2, 'two']) {
    test(`a tool of ${name} runs as in the published runner: days is ${days}`, async () => {
      const outcomes = {};
      for (const [face, runner] of Object.entries(RUNNERS)) {
        outcomes[face] = await outcomeOf(make, runner, days);
      }
      assert.deepEqual(outcomes.ours, outcomes.published);
      assert.equal(outcomes.ours.seen.length, days === 2 ? 2 : 0);
    });
  }
}

test('a function that was written for the package gets the arguments and nothing more', async () => {
  const counts = [];
  const tool = zodResponsesFunction({
    name: 'weather',
    parameters: PARAMETERS,
    function: (...given) => `${counts.push(given.length)}`,
  });
  const call = functionCall('weather', { city: 'Rome', days: 2 }, 'a');
  for (const { ResponsesToolRunner, runnerFunction } of Object.values(RUNNERS)) {
    const client = { ...clientOf(responseOf([call]), responseOf([message()])), _options: {} };
    const { signal } = new AbortController();
    const runner = new ResponsesToolRunner({ functions: [runnerFunction(tool)] });
    await runner.run(client, PARAMS, { signal });
  }
  assert.deepEqual(counts, [1, 1]);
});

test('a tool of functionTool is declared as standardResponsesFunction declares it', () => {
  const options = {
    name: 'weather',
    description: 'Looks the weather up.',
    parameters: z.object({
      city: z.string(),
      place: z.object({ lat: z.number(), lon: z.number() }).nullish(),
      kinds: z.array(z.enum(['rain', 'wind'])),
    }),
    defer_loading: true,
    function: String,
  };
  const { $schema, ...parameters } = standardResponsesFunction(options).parameters;
  assert.ok($schema);
  assert.deepEqual(functionTool(options), { ...standardResponsesFunction(options), parameters });
});
