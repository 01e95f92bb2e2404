/** Normalisation and comparison of two records. */
import { isDeepStrictEqual } from 'node:util';
import { untag } from './tags.js';

/** For a reader only; `import_vectors.py` already leaves out the rest of them. */
const INFORMATION = new Set(['exception', 'diagnostics']);

/** Where two records differ, for a reader; undefined if they agree. `expected` may hold tags. */
export function difference(expected, actual) {
  const left = canonical(normalised(untag(expected)));
  const right = canonical(normalised(actual));
  if (isDeepStrictEqual(left, right)) return undefined;
  return `expected ${JSON.stringify(left)}\n     got ${JSON.stringify(right)}`;
}

/** A record without what two right implementations may differ in. */
function normalised(record) {
  const kept = Object.fromEntries(
    Object.entries(record).filter(([name]) => !INFORMATION.has(name)),
  );
  if (isObject(kept.payload)) kept.payload = withoutNullResult(kept.payload);
  if (isObject(kept.value)) {
    kept.value = withSortedTools(kept.value);
    if (isObject(kept.value.payload)) kept.value.payload = withoutNullResult(kept.value.payload);
  }
  if (Array.isArray(kept.saves)) kept.saves = kept.saves.map(withSortedTools);
  if (Array.isArray(kept.driver_calls)) kept.driver_calls = kept.driver_calls.map(withoutNullKeys);
  if (Array.isArray(kept.requests)) kept.requests = kept.requests.map(withoutEmptyChecks);
  return kept;
}

/** The set of tools matters, not the order. A repeated name still shows. */
function withSortedTools(part) {
  return Array.isArray(part.tools) ? { ...part, tools: [...part.tools].sort() } : { ...part };
}

/** No acknowledged checks may be said or left out, also where another class decides the record. */
function withoutEmptyChecks(request) {
  const normal = { ...request };
  for (const name of ['input', 'appended']) {
    if (Array.isArray(request[name])) normal[name] = request[name].map(itemWithoutEmptyChecks);
  }
  return normal;
}

function itemWithoutEmptyChecks(item) {
  const { acknowledged_safety_checks: checks, ...rest } = item;
  return item.type === 'computer_call_output' && checks?.length === 0 ? rest : item;
}

/** A computer action that holds no keys may say so. */
function withoutNullKeys(call) {
  if (!isObject(call.action)) return call;
  const { keys, ...rest } = call.action;
  return { ...call, action: keys === null || keys === undefined ? rest : call.action };
}

function withoutNullResult(payload) {
  const { result, ...rest } = payload;
  return result === null || result === undefined ? rest : payload;
}

/**
 * A value in one spelling: unpaired surrogates in keys as `\uXXXX`, numbers by value. What is no plain
 * JSON value becomes a mark that equals no expectation, so that a host type which leaks is a difference.
 */
function canonical(value) {
  if (typeof value === 'number')
    return Number.isFinite(value) ? value + 0 : { $number: String(value) };
  if (Array.isArray(value)) {
    return Object.getPrototypeOf(value) === Array.prototype
      ? value.map(canonical)
      : unexpected(value);
  }
  if (isObject(value)) {
    if (Object.getPrototypeOf(value) !== Object.prototype) return unexpected(value);
    const { $json: payload } = value;
    if (isObject(payload)) return { $json: canonical({ ...withoutNullResult(payload) }) };
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    return Object.fromEntries(
      fields
        .map(([name, field]) => [escapeSurrogates(name), canonical(field)])
        .sort(([one], [other]) => (one < other ? -1 : 1)),
    );
  }
  return ['string', 'boolean'].includes(typeof value) || value === null ? value : unexpected(value);
}

function unexpected(value) {
  return { $unexpected: Object.prototype.toString.call(value) };
}

function escapeSurrogates(text) {
  return text.replace(
    /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16)}`,
  );
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
