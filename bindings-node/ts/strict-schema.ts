/**
 * A JSON schema as the service's strict mode takes it: each object says all of its fields,
 * requires them and allows no others. What strict mode has no words for and the validator checks anyway
 * is left out; what would change the meaning is refused.
 */

import { ConfigurationError } from './errors.js';

type JsonSchema = Record<string, unknown>;

/** A strict form of a schema's own. @throws ConfigurationError that says where there is none. */
export function strictSchema(schema: JsonSchema): JsonSchema {
  const { $schema: _dialect, ...root } = schema;
  if (root['type'] !== 'object') throw refusal('the arguments', 'are no object');
  return strict(root, 'the arguments');
}

function strict(schema: JsonSchema, place: string): JsonSchema {
  // A default says nothing where every field is required, and strict mode knows none.
  const { default: _default, oneOf, ...node } = schema;
  // Strict mode has no oneOf; that exactly one branch fits is left to the validator.
  if (oneOf !== undefined) node['anyOf'] = oneOf;
  const { $ref, ...beside } = node;
  if ($ref !== undefined && Object.keys(beside).length > 0) {
    // A reference has to stand alone.
    return strict({ ...beside, anyOf: [{ $ref }] }, place);
  }
  if (Array.isArray(node['items'])) throw refusal(place, 'are a tuple');
  if (isSchema(node['items'])) node['items'] = strict(node['items'], `${place}.items`);
  for (const name of ['anyOf', 'allOf']) {
    const parts = node[name];
    if (Array.isArray(parts)) {
      node[name] = parts.map((part, at) => strictPart(part, `${place}.${name}[${at}]`));
    }
  }
  for (const name of ['properties', '$defs', 'definitions']) {
    const parts = node[name];
    if (!isSchema(parts)) continue;
    node[name] = Object.fromEntries(
      Object.entries(parts).map(([key, part]) => [key, strictPart(part, `${place}.${key}`)]),
    );
  }
  return isObjectSchema(node) ? closed(schema, node, place) : node;
}

function strictPart(part: unknown, place: string): unknown {
  return isSchema(part) ? strict(part, place) : part;
}

function closed(schema: JsonSchema, node: JsonSchema, place: string): JsonSchema {
  const { propertyNames: _names, patternProperties, additionalProperties = false, ...rest } = node;
  if (additionalProperties !== false || patternProperties !== undefined) {
    throw refusal(place, 'may have fields of any name');
  }
  const properties = (schema['properties'] ?? {}) as JsonSchema;
  const required = new Set((schema['required'] ?? []) as string[]);
  for (const [name, property] of Object.entries(properties)) {
    // The model cannot leave it out, so there has to be a way to say that there is none.
    if (!required.has(name) && !mayBeRequired(property)) {
      throw refusal(`${place}.${name}`, 'may be left out; let it be null, or give it a default');
    }
  }
  return {
    ...rest,
    properties: node['properties'] ?? {},
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

function mayBeRequired(property: unknown): boolean {
  if (!isSchema(property)) return true;
  const { type, anyOf, oneOf } = property;
  const branches = (anyOf ?? oneOf ?? []) as unknown[];
  return (
    'default' in property ||
    type === 'null' ||
    (Array.isArray(type) && type.includes('null')) ||
    branches.some((branch) => isSchema(branch) && branch['type'] === 'null')
  );
}

function isObjectSchema({ type }: JsonSchema): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object'));
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refusal(place: string, fault: string): ConfigurationError {
  const words = `a strict tool cannot have such arguments: ${place} ${fault}`;
  return new ConfigurationError(words, 'tool_schema_invalid');
}
