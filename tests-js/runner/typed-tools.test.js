/** Functions whose arguments a schema library parses, without the `openai` package. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { functionTool, ResponsesToolRunner, runnerFunction } from 'swingbridge';
import * as helpers from 'swingbridge/helpers/responses-tool-runner';
import { z } from 'zod';
import { clientOf, functionCall, lookup, message, responseOf } from './double.js';

const PARAMS = { model: 'm', input: 'Rain?' };
const JSON_SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
};

const weatherCall = (city, callId, fields) =>
  functionCall('weather', { city, days: 2 }, callId, fields);

/** A tool of a zod schema that notes which cities it looked at. */
function weatherTool(run = () => 'sunny', looked = []) {
  return functionTool({
    name: 'weather',
    description: 'Looks the weather up.',
    parameters: z.object({
      city: z.string().refine((city) => {
        looked.push(city);
        if (city === 'broken') throw new Error('words of the program');
        return city !== 'nowhere';
      }),
      days: z.int().default(3),
    }),
    function: run,
  });
}

/** A library of one's own: a validator and nothing else. */
const ownSchema = (validate) => ({ '~standard': { version: 1, vendor: 'own', validate } });

function ownTool(validate, run) {
  const parameters = ownSchema(validate);
  return functionTool({ name: 'weather', parameters, schema: JSON_SCHEMA, function: run });
}

const runOf = (client, functions, options) =>
  new ResponsesToolRunner({ functions }).run(client, PARAMS, options);

const isConfigurationFault = (code) => (error) => {
  assert.ok(error instanceof TypeError);
  assert.equal(error.code, code);
  return true;
};

// --- Runs ---

test('the function gets what the schema makes of the arguments', async () => {
  const seen = [];
  const tool = weatherTool((args) => `${seen.push(args)} found`);
  const call = functionCall('weather', { city: 'Rome', more: 1 }, 'a');
  const client = clientOf(responseOf([call]), responseOf([message()]));
  await runOf(client, [runnerFunction(tool)]);
  assert.deepEqual(seen, [{ city: 'Rome', days: 3 }]);
  const [declared] = client.requests[0].body.tools;
  assert.deepEqual(declared, JSON.parse(JSON.stringify(tool)));
  const { input } = client.requests[1].body;
  assert.deepEqual(input.at(-2), call);
  assert.equal(input.at(-1).output, '1 found');
});

test('the function gets the context of the run', async () => {
  const { signal } = new AbortController();
  const seen = [];
  const tool = weatherTool((_args, context) => `${seen.push(context)}`);
  const client = clientOf(responseOf([weatherCall('Rome', 'a')]), responseOf([message()]));
  await runOf(client, [runnerFunction(tool)], { signal });
  assert.equal(seen[0].signal, signal);
});

test('a schema looks at the arguments of a call once, and calls alike have their own', async () => {
  const [looked, seen] = [[], []];
  const tool = weatherTool((args) => `${seen.push(args)}`, looked);
  const calls = [weatherCall('Rome', 'a'), weatherCall('Rome', 'b'), weatherCall('Oslo', 'c')];
  await runOf(clientOf(responseOf(calls), responseOf([message()])), [runnerFunction(tool)]);
  assert.deepEqual(looked, ['Rome', 'Rome', 'Oslo']);
  assert.notEqual(seen[0], seen[1]);
});

const REFUSED = {
  'a wrong type': { city: 5 },
  'a field that is missing': {},
  'a value that the program refuses': { city: 'nowhere' },
  'a validator that throws': { city: 'broken' },
  'a list': [1],
  null: null,
};

for (const [name, args] of Object.entries(REFUSED)) {
  test(`arguments that are refused stop the run before anything is begun: ${name}`, async () => {
    let ran = 0;
    const client = clientOf(
      responseOf([
        functionCall('lookup', {}, 'a'),
        weatherCall('Oslo', 'b'),
        functionCall('weather', args, 'c'),
        weatherCall('Bern', 'd'),
      ]),
      responseOf([message()]),
    );
    const count = () => `${(ran += 1)}`;
    const functions = [lookup(count), runnerFunction(weatherTool(count))];
    await assert.rejects(runOf(client, functions), (error) => {
      assert.equal(error.code, 'function_arguments_invalid');
      assert.deepEqual(error.attemptedCallIds, []);
      assert.deepEqual(error.completedCallIds, []);
      // What the model wrote and what the program said about it is nobody else's affair.
      assert.equal(error.cause, undefined);
      assert.doesNotMatch(error.message, /words|nowhere/);
      return true;
    });
    assert.equal(ran, 0);
    assert.equal(client.requests.length, 1);
  });
}

test('arguments that are no JSON stop the run as well', async () => {
  const item = weatherCall('Rome', 'a', { arguments: '{"city":' });
  const client = clientOf(responseOf([item]), responseOf([message()]));
  await assert.rejects(runOf(client, [runnerFunction(weatherTool())]), {
    code: 'function_arguments_invalid',
  });
});

test('a schema may take its time', async () => {
  const seen = [];
  const validate = async ({ city }) =>
    city === 'Rome' ? { value: { place: city } } : { issues: [{ message: 'unknown' }] };
  const tool = () => runnerFunction(ownTool(validate, (args) => `${seen.push(args)}`));
  await runOf(clientOf(responseOf([weatherCall('Rome', 'a')]), responseOf([message()])), [tool()]);
  assert.deepEqual(seen, [{ place: 'Rome' }]);
  const calls = [weatherCall('Rome', 'a'), weatherCall('Oslo', 'b')];
  await assert.rejects(runOf(clientOf(responseOf(calls)), [tool()]), {
    code: 'function_arguments_invalid',
    attemptedCallIds: [],
  });
  assert.equal(seen.length, 1);
});

test('a schema that answers nonsense refuses', async () => {
  for (const nonsense of [undefined, null, 5]) {
    const tool = runnerFunction(ownTool(() => nonsense, String));
    const client = clientOf(responseOf([weatherCall('Rome', 'a')]));
    await assert.rejects(runOf(client, [tool]), { code: 'function_arguments_invalid' });
  }
});

// --- Streams ---

/** The events of a response; `streamed` are its items as the stream has them. */
async function* eventsOf(response, streamed = response.output) {
  yield { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } };
  for (const [index, item] of streamed.entries()) {
    yield { type: 'response.output_item.done', output_index: index, item };
  }
  yield { type: 'response.completed', response };
}

const streamOf = (output, streamed) => () => eventsOf(responseOf(output), streamed);
const EAGER = { stream: true, eager: true };

test('a schema looks at a streamed call once, early or not', async () => {
  for (const options of [EAGER, { stream: true }]) {
    for (const isIndependent of [false, true]) {
      const [looked, seen] = [[], []];
      const typed = runnerFunction(weatherTool((args) => `${seen.push(args)}`, looked));
      const client = clientOf(
        streamOf([weatherCall('Rome', 'a'), weatherCall('Oslo', 'b')]),
        streamOf([message()]),
      );
      await runOf(client, [{ ...typed, independent: isIndependent }], options);
      assert.deepEqual(looked, ['Rome', 'Oslo']);
      assert.deepEqual(seen, [
        { city: 'Rome', days: 2 },
        { city: 'Oslo', days: 2 },
      ]);
    }
  }
});

test('an early call whose arguments are refused ends the run with what was done before', async () => {
  const seen = [];
  const slow = async ({ city }) =>
    city === 'nowhere' ? { issues: [{ message: 'unknown' }] } : { value: { city } };
  const make = [
    () => weatherTool(({ city }) => `${seen.push(city)}`),
    () => ownTool(slow, ({ city }) => `${seen.push(city)}`),
  ];
  for (const tool of make) {
    const calls = ['Rome', 'nowhere', 'Oslo'].map((city) => weatherCall(city, city));
    await assert.rejects(runOf(clientOf(streamOf(calls)), [runnerFunction(tool())], EAGER), {
      code: 'function_arguments_invalid',
      attemptedCallIds: ['Rome'],
      completedCallIds: ['Rome'],
    });
  }
  assert.deepEqual(seen, ['Rome', 'Rome']);
});

test('arguments that change after their call was executed stop the run', async () => {
  const seen = [];
  const typed = runnerFunction(weatherTool(({ city }) => `${seen.push(city)}`));
  const client = clientOf(streamOf([weatherCall('Oslo', 'a')], [weatherCall('Rome', 'a')]));
  await assert.rejects(runOf(client, [typed], EAGER), {
    code: 'stream_item_changed',
    attemptedCallIds: ['a'],
    completedCallIds: ['a'],
  });
  assert.deepEqual(seen, ['Rome']);
});

test('a turn whose arguments are refused is never seen', async () => {
  const client = clientOf(responseOf([weatherCall('nowhere', 'a')]));
  const runner = new ResponsesToolRunner({ functions: [runnerFunction(weatherTool())] });
  const turns = runner.iterate(client, PARAMS);
  await assert.rejects(turns.next(), { code: 'function_arguments_invalid', attemptedCallIds: [] });
});

test('an abort while a schema takes its time ends the run', async () => {
  const controller = new AbortController();
  const waits = () => new Promise(() => controller.abort());
  const client = clientOf(responseOf([weatherCall('Rome', 'a')]));
  const { signal } = controller;
  await assert.rejects(runOf(client, [runnerFunction(ownTool(waits, String))], { signal }), {
    code: 'run_cancelled',
    attemptedCallIds: [],
  });
});

// --- Beside others ---

test('other functions have their arguments as they are, beside typed ones as well', async () => {
  const seen = [];
  const calls = [functionCall('lookup', { city: 5 }, 'a'), weatherCall('Rome', 'b')];
  const client = clientOf(responseOf(calls), responseOf([message()]));
  const note = (args) => `${seen.push(args)}`;
  await runOf(client, [lookup(note), runnerFunction(weatherTool(note))]);
  assert.deepEqual(seen, [{ city: 5 }, { city: 'Rome', days: 2 }]);
});

test('what the client throws is the cause in a run with typed functions as well', async () => {
  const failure = new Error('no line');
  const client = clientOf(() => Promise.reject(failure));
  await assert.rejects(runOf(client, [runnerFunction(weatherTool())]), {
    code: 'request_failed',
    cause: failure,
  });
});

test('an output of another kind stops the run with the receipt of the call', async () => {
  const client = clientOf(responseOf([weatherCall('Rome', 'a')]), responseOf([message()]));
  await assert.rejects(runOf(client, [runnerFunction(weatherTool(() => 5))]), {
    code: 'function_output_invalid',
    attemptedCallIds: ['a'],
    completedCallIds: [],
  });
});

// --- runnerFunction ---

test('it is the same from both places', () => {
  assert.equal(helpers.runnerFunction, runnerFunction);
});

test('a copy with flags is typed as well', async () => {
  const seen = [];
  const typed = runnerFunction(weatherTool((args) => `${seen.push(args)}`));
  const call = functionCall('weather', { city: 'Rome' }, 'a');
  const client = clientOf(responseOf([call]), responseOf([message()]));
  await runOf(client, [{ ...typed, allowOutputOverride: true, independent: true }]);
  assert.deepEqual(seen, [{ city: 'Rome', days: 3 }]);
});

test('its declaration is plain, and its execute parses by itself', async () => {
  const { tool, execute } = runnerFunction(weatherTool(({ city, days }) => `${city} ${days}`));
  assert.deepEqual(Object.getOwnPropertyNames(tool), [
    'type',
    'name',
    'parameters',
    'strict',
    'description',
  ]);
  assert.equal(await execute({ city: 'Rome' }, { signal: undefined }), 'Rome 3');
  await assert.rejects(execute({ city: 5 }, { signal: undefined }));
});

test('only a typed tool with a function is taken', () => {
  const { tool } = lookup();
  const parseOnly = { ...tool, $brand: 'auto-parseable-tool', $parseRaw: JSON.parse };
  for (const wrong of [tool, parseOnly, { ...weatherTool() }, undefined, null, 5, 'weather']) {
    assert.throws(() => runnerFunction(wrong), isConfigurationFault('tool_not_typed'));
  }
});

// --- functionTool ---

test('a tool is a plain strict declaration with its parser', () => {
  const tool = weatherTool();
  assert.deepEqual(JSON.parse(JSON.stringify(tool)), {
    type: 'function',
    name: 'weather',
    description: 'Looks the weather up.',
    strict: true,
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string' },
        days: {
          type: 'integer',
          minimum: Number.MIN_SAFE_INTEGER,
          maximum: Number.MAX_SAFE_INTEGER,
        },
      },
      required: ['city', 'days'],
      additionalProperties: false,
    },
  });
  assert.equal(tool.$brand, 'auto-parseable-tool');
  assert.deepEqual(tool.$parseRaw('{"city":"Rome"}'), { city: 'Rome', days: 3 });
  assert.throws(() => tool.$parseRaw('{"city":5}'));
  assert.equal(tool.$callback({ city: 'Rome', days: 1 }), 'sunny');
});

test('a schema that takes its time cannot be parsed at once', () => {
  const tool = ownTool(async (value) => ({ value }), String);
  assert.throws(() => tool.$parseRaw('{}'), /asynchronously/);
});

test('description and deferred loading are declared if they are given', () => {
  const options = { name: 'a', parameters: z.object({}), function: String };
  assert.deepEqual(Object.keys(functionTool(options)), ['type', 'name', 'parameters', 'strict']);
  assert.equal(functionTool({ ...options, defer_loading: true }).defer_loading, true);
});

test('what no tool can be made of is refused', () => {
  const options = { name: 'weather', parameters: z.object({}), function: String };
  for (const name of ['', 'a b', 'x'.repeat(65), 'é', 'a\n', 5, undefined]) {
    assert.throws(
      () => functionTool({ ...options, name }),
      isConfigurationFault('tool_name_invalid'),
    );
  }
  for (const parameters of [JSON_SCHEMA, { '~standard': {} }, null, undefined, 5]) {
    const fault = isConfigurationFault('tool_schema_invalid');
    assert.throws(() => functionTool({ ...options, parameters }), fault);
  }
  for (const wrong of [undefined, null, 'run']) {
    assert.throws(
      () => functionTool({ ...options, function: wrong }),
      isConfigurationFault('not_callable'),
    );
  }
  const silent = ownSchema((value) => ({ value }));
  assert.throws(
    () => functionTool({ ...options, parameters: silent }),
    isConfigurationFault('tool_schema_invalid'),
  );
});

const parametersOf = (parameters) =>
  functionTool({ name: 'a', parameters, function: String }).parameters;

/** All the schemas of objects in a schema. */
function objectsOf(schema) {
  if (typeof schema !== 'object' || schema === null) return [];
  const isObject = [schema.type].flat().includes('object');
  return [...(isObject ? [schema] : []), ...Object.values(schema).flatMap(objectsOf)];
}

test('every object of a schema is closed and requires all', () => {
  const part = z.object({ size: z.int().nullish(), default: z.string().default('s') });
  const tree = z.object({
    name: z.string(),
    get branches() {
      return z.array(tree);
    },
  });
  const kinds = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('round') }),
    z.object({ kind: z.literal('square'), part }),
  ]);
  const parameters = parametersOf(
    z.object({ part, perhaps: part.nullable(), parts: z.array(part), tree, kinds }),
  );
  const objects = objectsOf(parameters);
  assert.ok(objects.length > 6);
  for (const found of objects) {
    assert.equal(found.additionalProperties, false);
    assert.deepEqual(found.required, Object.keys(found.properties));
  }
  assert.deepEqual(parameters.properties.part.properties.default, { type: 'string' });
  assert.equal(parameters.properties.kinds.anyOf.length, 2);
  assert.doesNotMatch(JSON.stringify(parameters), /oneOf|\$schema/);
});

test('a reference with words of its own is wrapped', () => {
  const schema = {
    type: 'object',
    properties: { part: { $ref: '#/$defs/Part', description: 'A part.' } },
    required: ['part'],
    $defs: { Part: { type: 'object', properties: {} } },
  };
  const { parameters } = functionTool({
    name: 'a',
    parameters: z.object({}),
    schema,
    function: String,
  });
  assert.deepEqual(parameters.properties.part, {
    description: 'A part.',
    anyOf: [{ $ref: '#/$defs/Part' }],
  });
  assert.equal(parameters.$defs.Part.additionalProperties, false);
  // The schema that was given is as it was.
  assert.equal('additionalProperties' in schema, false);
});

const NOT_STRICT = {
  'no object': [z.array(z.string()), /are no object/],
  'a record': [z.object({ tags: z.record(z.string(), z.int()) }), /arguments\.tags may have/],
  'further fields': [z.looseObject({ a: z.string() }), /the arguments may have/],
  'a field that may only be left out': [
    z.object({ list: z.array(z.object({ a: z.string().optional() })) }),
    /arguments\.list\.items\.a may be left out/,
  ],
  'a tuple': [z.object({ pair: z.tuple([z.string(), z.int()]) }), /arguments\.pair are a tuple/],
};

for (const [name, [schema, words]] of Object.entries(NOT_STRICT)) {
  test(`a schema that no strict tool can have is refused: ${name}`, () => {
    assert.throws(
      () => parametersOf(schema),
      (error) => isConfigurationFault('tool_schema_invalid')(error) && words.test(error.message),
    );
  });
}
