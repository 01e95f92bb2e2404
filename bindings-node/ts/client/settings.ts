/** Settings and options in the addon's form: JSON of what is given. */

import { ConfigurationError } from '../errors.js';
import type { ClientOptions, ClientRequestOptions } from './types.js';

type Pairs = [name: string, value: string][];
/** A header whose value is null is taken away. */
export type HeaderChanges = [name: string, value: string | null][];

const AUTHS: readonly unknown[] = ['bearer', 'api-key', 'none'];
const MOST_RETRIES = 1_000;

/** @throws ConfigurationError for options of another kind. */
export function settingsText(options: ClientOptions): string {
  const { auth, apiVersion, timeout, maxRetries, defaultHeaders, defaultQuery } = options;
  if (auth !== undefined && !AUTHS.includes(auth)) {
    throw new ConfigurationError('auth must be bearer, api-key or none', 'option_invalid');
  }
  return JSON.stringify({
    api_key: textOf('apiKey', options.apiKey),
    auth,
    base_url: textOf('baseURL', options.baseURL),
    organization: textOf('organization', options.organization),
    project: textOf('project', options.project),
    api_version: textOf('apiVersion', apiVersion),
    timeout: millisecondsOf(timeout),
    max_retries: retriesOf(maxRetries),
    trust_env: flagOf('trustEnv', options.trustEnv),
    headers: headerPairs('defaultHeaders', defaultHeaders),
    query: queryPairs('defaultQuery', defaultQuery),
  });
}

/** @throws ConfigurationError for options of another kind. */
export function requestText(options: ClientRequestOptions): string {
  return JSON.stringify({
    timeout: millisecondsOf(options.timeout),
    max_retries: retriesOf(options.maxRetries),
    idempotency_key: textOf('idempotencyKey', options.idempotencyKey),
    headers: headerPairs('headers', options.headers),
    query: queryPairs('query', options.query),
  });
}

function textOf(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  // An unpaired surrogate has no form on the wire.
  if (typeof value === 'string' && value.isWellFormed()) return value;
  throw new ConfigurationError(`${name} must be a text`, 'option_invalid');
}

function flagOf(name: string, value: unknown): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  throw new ConfigurationError(`${name} must be true or false`, 'option_invalid');
}

function millisecondsOf(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && value > 0 && value <= Number.MAX_SAFE_INTEGER) {
    return Math.ceil(value);
  }
  throw new ConfigurationError(
    'timeout must be a positive number of milliseconds',
    'option_invalid',
  );
}

function retriesOf(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (Number.isInteger(value) && (value as number) >= 0) {
    return Math.min(value as number, MOST_RETRIES);
  }
  throw new ConfigurationError('maxRetries must be an integer from 0', 'option_invalid');
}

/** The headers in any of the forms that `fetch` takes. */
export function headerPairs(name: string, given: unknown): HeaderChanges {
  if (given === undefined || given === null) return [];
  if (typeof given !== 'object') throw notFields(name);
  const entries: Iterable<unknown> =
    given instanceof Headers || Array.isArray(given)
      ? (given as Iterable<unknown>)
      : Object.entries(given);
  return Array.from(entries, (entry) => headerOf(name, entry)).filter(isGiven);
}

function queryPairs(name: string, given: unknown): Pairs {
  if (given === undefined || given === null) return [];
  if (typeof given !== 'object') throw notFields(name);
  return Object.entries(given)
    .map((entry) => pairOf(name, entry, isScalar))
    .filter(isGiven);
}

function headerOf(name: string, entry: unknown): [string, string | null] | undefined {
  const [key, value] = Array.isArray(entry) ? (entry as unknown[]) : [];
  return value === null && isText(key) ? [key as string, null] : pairOf(name, entry, isText);
}

function pairOf(
  name: string,
  entry: unknown,
  isValue: (value: unknown) => boolean,
): [string, string] | undefined {
  const [key, value] = Array.isArray(entry) ? (entry as unknown[]) : [];
  if (isText(key) && value === undefined) return undefined;
  if (!isText(key) || !isValue(value)) throw notFields(name);
  return [key as string, String(value)];
}

function isGiven<T>(value: T | undefined): value is T {
  return value !== undefined;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.isWellFormed();
}

function isScalar(value: unknown): boolean {
  return isText(value) || typeof value === 'boolean' || Number.isFinite(value);
}

function notFields(name: string): ConfigurationError {
  return new ConfigurationError(`${name} must be names with their values`, 'option_invalid');
}
