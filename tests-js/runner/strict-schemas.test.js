/** Strict forms of schemas and names of tools; the cases are those of the core and of Python. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { ConfigurationError, functionTool } from 'swingbridge';
import { z } from 'zod';

import * as native from '../../bindings-node/native/native.js';

const CASES = JSON.parse(
  readFileSync(new URL('../../conformance/strict_schemas.json', import.meta.url), 'utf8'),
);

/** The strict form, or what is said instead of one. */
function outcome(schema, isImplied) {
  try {
    return native.strictSchema(schema, isImplied);
  } catch (error) {
    assert.equal(error.code, 'tool_schema_invalid');
    return error.message;
  }
}

function wanted(case_, isImplied) {
  const refused = `a strict tool cannot have such arguments: ${case_.refused}`;
  return (isImplied ? case_.implied : undefined) ?? case_.strict ?? refused;
}

const parsed = (text) => (text.startsWith('{') ? JSON.parse(text) : text);

for (const isImplied of [false, true]) {
  const suffix = isImplied ? 'implied' : 'written';

  test(`schemas have their strict form or a fault with its place, defaults ${suffix}`, () => {
    for (const case_ of CASES.schemas) {
      const got = parsed(outcome(JSON.stringify(case_.schema), isImplied));
      assert.deepEqual(got, wanted(case_, isImplied), case_.name);
    }
  });

  test(`texts stay as they are where no rule reads them, defaults ${suffix}`, () => {
    for (const case_ of CASES.texts) {
      assert.equal(outcome(case_.text, isImplied), wanted(case_, isImplied), case_.name);
    }
  });
}

test('names are taken, made or refused', () => {
  const { names } = CASES;
  const fault = { code: 'tool_name_invalid' };
  for (const name of names.accepted) native.checkToolName(name);
  for (const name of [...names.refused, '\ud800']) {
    assert.throws(() => native.checkToolName(name), fault);
  }
  for (const [className, name] of names.of_classes) {
    assert.equal(native.toolNameOf(className), name);
  }
  for (const className of [...names.of_no_class, '\ud800']) {
    assert.throws(() => native.toolNameOf(className), fault);
  }
});

test('a schema without a JSON form is refused', () => {
  const endless = { type: 'object' };
  endless.endless = endless;
  const throwing = {
    get type() {
      throw new Error('planted');
    },
  };
  for (const schema of [endless, throwing, { type: 5n }, () => 'object', Symbol('object')]) {
    const options = { name: 'a', parameters: z.object({}), schema, function: String };
    assert.throws(
      () => functionTool(options),
      (error) =>
        error instanceof ConfigurationError &&
        error.code === 'tool_schema_invalid' &&
        /the arguments have no schema/.test(error.message),
    );
  }
});

test('the schema that was given stays as it was', () => {
  const schema = { type: 'object', properties: { a: { type: 'object' } }, required: ['a'] };
  const before = structuredClone(schema);
  functionTool({ name: 'a', parameters: z.object({}), schema, function: String });
  assert.deepEqual(schema, before);
});
