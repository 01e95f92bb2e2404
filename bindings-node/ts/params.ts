/** The parameters of a run. */

import { ConfigurationError } from './errors.js';
import { knownFieldsOf } from './snapshot.js';

/** The parameters of a run, detached from the caller's. */
export interface RunParams {
  /** JSON of all of them. */
  readonly text: string;
  readonly input: unknown;
  /** All others, plain data. */
  readonly others: Record<string, unknown>;
  /** What the core reads of all of them: `tools` whole, and `input` too if that is needed. */
  known(needsWholeInput: boolean): string;
}

/** @throws ConfigurationError if they are not plain JSON data. */
export function copyParams(params: unknown): RunParams {
  try {
    const text = JSON.stringify(params, denseOnly) ?? 'null';
    const body: unknown = JSON.parse(text);
    const { input, ...others } = (body ?? {}) as Record<string, unknown>;
    return { text, input, others, known: (needsWhole) => knownOf(body, needsWhole) };
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    throw new ConfigurationError('params cannot be written as JSON', 'params_not_json');
  }
}

function knownOf(body: unknown, needsWholeInput: boolean): string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return JSON.stringify(body);
  const { input, tools, ...others } = body as Record<string, unknown>;
  const fields = [knownFieldsOf(others).slice(1, -1)].filter((text) => text !== '');
  if (tools !== undefined) fields.push(`"tools":${JSON.stringify(tools)}`);
  if (input !== undefined) {
    fields.push(`"input":${needsWholeInput ? JSON.stringify(input) : knownFieldsOf(input)}`);
  }
  return `{${fields.join()}}`;
}

/** Refuses lists with items that JSON would silently turn into null. */
function denseOnly(_key: string, value: unknown): unknown {
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) {
      if (item === undefined || typeof item === 'function' || typeof item === 'symbol') {
        throw new ConfigurationError('params has a list with a missing item', 'input_invalid');
      }
    }
  }
  return value;
}
