/**
 * Strict snapshots of what drivers and functions return, as JSON text for the core.
 *
 * A report is read field by field: each known field exactly once, with whatever getter or proxy is
 * behind it, and no other field at all. What cannot be JSON becomes {@link FOREIGN}, which every rule
 * refuses. The snapshot is taken before anything else runs, so nothing that the driver does to its
 * object later changes anything (B-46).
 *
 * The readers name the fields of each report because reading `element.label` is ten times cheaper
 * than walking over unknown keys. Which values are allowed is decided in the core only; that the
 * readers know all the fields that the core reads is a test (`tests-js/api/snapshot.test.js`).
 */

import { heldHead, hostFields, hostValues } from '../native/native.js';

/**
 * Stands for a value without a JSON form. No rule takes a number with a fraction, so the core refuses
 * it wherever it reads it.
 */
export const FOREIGN = 0.5;

const HEAD = heldHead();
const VALUES = hostValues();
/** As the core's `json::MAX_DEPTH`. */
const MAX_DEPTH = 128;
const READ_FIELDS = new Set(hostFields());

/** How many more values the snapshot at hand may have: lists can share their items many times over. */
let left = VALUES;

/** A tab report. */
export function stateText(value: unknown): string {
  return textOf(attempt(value, readState));
}

/** What the host keeps of a value, and the text that crosses. */
export interface Snapshot {
  readonly snapshot: unknown;
  readonly text: string;
}

/** What an action, a read, a transfer or a screenshot gave. */
export function resultOf(value: unknown): Snapshot {
  if (value === undefined || value === null) return NOTHING;
  const snapshot = attempt(value, readResult);
  return { snapshot, text: textOf(isObject(snapshot) ? withImageHeads(snapshot) : snapshot) };
}

/** What a computer's screenshot gave. */
export function screenshotOf(value: unknown): Snapshot {
  const snapshot = attempt(value, readScreenshot);
  if (!isObject(snapshot)) return { snapshot, text: JSON.stringify(snapshot) };
  const { type, image_url, file_id } = snapshot;
  const crossing = { type, image_url: sendableHead(image_url), file_id: sendableHead(file_id) };
  return { snapshot, text: JSON.stringify(crossing) };
}

/** What a function gave. */
export function functionOutputOf(value: unknown): Snapshot {
  const snapshot = attempt(value, readFunctionOutput);
  return { snapshot, text: textOf(outputHeads(snapshot)) };
}

/** What a caller supplies for calls: the outputs by call id, and the text that crosses. */
export function suppliedOutputsOf(value: unknown): {
  outputs: Map<unknown, unknown>;
  text: string;
} {
  const snapshot = attempt(value, readSupplied);
  const items = Array.isArray(snapshot) ? (snapshot as unknown[]) : [];
  const outputs = new Map(
    items.filter(isObject).map(({ call_id, output }) => [call_id, output] as const),
  );
  const crossing = items.map((item) =>
    isObject(item) ? { ...item, output: outputHeads(item['output']) } : item,
  );
  return { outputs, text: textOf(Array.isArray(snapshot) ? crossing : snapshot) };
}

/** A number, a text or a boolean of the caller, as JSON. */
export function scalarText(value: unknown): string {
  return JSON.stringify(scalar(value) ?? null);
}

/** A number, a text or a boolean of the caller; whatever else there is, is foreign. */
export function scalarOf(value: unknown): unknown {
  return scalar(value) ?? null;
}

/**
 * Plain JSON data with only those fields that a rule reads; of the others only the names, and of long
 * contents only the beginnings.
 */
export function knownFieldsOf(data: unknown): string {
  return JSON.stringify(knownOf(data, 0));
}

/** What is deeper than the core reads is foreign. */
function knownOf(data: unknown, depth: number): unknown {
  if (!isObject(data)) return data;
  if (depth === MAX_DEPTH) return FOREIGN;
  if (Array.isArray(data)) return data.map((item) => knownOf(item, depth + 1));
  const known: Fields = {};
  for (const name of Object.keys(data)) {
    const field = data[name];
    if (!READ_FIELDS.has(name)) known[safeName(name)] = field === null ? null : 0;
    else if (typeof field === 'string' && CONTENTS.has(name)) known[name] = sendableHead(field);
    else known[name] = knownOf(field, depth + 1);
  }
  return known;
}

/** Fields of which a rule wants to know only whether they are texts. */
const CONTENTS = new Set(['encrypted_content', 'file_data', 'image_url']);

/**
 * The plain data of a value: its own fields, each read once. What JSON leaves out is left out. What a
 * large value has in several places is copied once, so that the copy is hardly larger than the value. For
 * data that is plain already it is several times faster than a general clone.
 *
 * @throws TypeError or RangeError for what cannot be written as JSON: a bigint, a cycle, more levels or,
 *   written out, more values than the core reads.
 */
export function plainCopyOf(value: unknown): unknown {
  return new Copier().copy(value, 0);
}

/**
 * As `plainCopyOf`, of what must be JSON as it stands.
 *
 * @throws TypeError also for what JSON would turn into null: a hole in a list, a number that is not finite.
 */
export function exactCopyOf(value: unknown): unknown {
  return new Copier(true).copy(value, 0);
}

/** What was copied of an object, and how many values it is when written out. */
interface Copied {
  readonly copy: unknown;
  readonly size: number;
}

/** To remember the parts of a smaller value would cost more than to copy them again. */
const SMALL = 256;

class Copier {
  /** See `Pump.kept`. */
  static readonly kept = new Copier();
  /** Undefined for an object that is being copied. Most values are too small to need it. */
  #copied: Map<object, Copied | undefined> | undefined;
  /** How many values have been written out so far. */
  #size = 0;
  readonly #isExact: boolean;

  constructor(isExact = false) {
    this.#isExact = isExact;
  }

  copy(value: unknown, depth: number): unknown {
    if (typeof value !== 'object' || value === null) {
      if (this.#isExact) requireFinite(value);
      return plainScalar(value);
    }
    if (this.#size < SMALL && depth < MAX_DEPTH) return this.#parts(value, depth + 1);
    this.#copied ??= new Map();
    const before = this.#copied.get(value);
    if (before !== undefined) {
      this.#count(before.size);
      return before.copy;
    }
    if (depth === MAX_DEPTH || this.#copied.has(value)) throw new RangeError('too deep or a cycle');
    this.#copied.set(value, undefined);
    const start = this.#size;
    const copy = this.#parts(value, depth + 1);
    this.#copied.set(value, { copy, size: this.#size - start });
    return copy;
  }

  #parts(value: object, depth: number): unknown {
    return Array.isArray(value)
      ? this.#list(value as unknown[], depth)
      : this.#fields(value as Fields, depth);
  }

  #list(value: unknown[], depth: number): unknown[] {
    const length = value.length;
    this.#count(length);
    const copy: unknown[] = [];
    for (let index = 0; index < length; index += 1) {
      const item = this.copy(value[index], depth);
      if (item === undefined && this.#isExact) throw new TypeError('a list has a hole');
      copy.push(item);
    }
    return copy;
  }

  /** To spread an object is far cheaper than to add its fields one by one. It reads each field once. */
  #fields(value: Fields, depth: number): Fields {
    const copy = { ...value };
    let isPlain = Object.getOwnPropertySymbols(copy).length === 0;
    let count = 0;
    for (const name in copy) {
      const field = copy[name];
      // A name that somebody gave to all objects.
      if (typeof field === 'object' && !Object.hasOwn(copy, name)) continue;
      const part = this.copy(field, depth);
      if (part !== field) copy[name] = part;
      isPlain &&= part !== undefined;
      count += 1;
    }
    this.#count(count);
    return isPlain ? copy : definedFieldsOf(copy);
  }

  #count(values: number): void {
    this.#size += values;
    if (!(this.#size <= VALUES)) throw new RangeError('more values than can be written out');
  }
}

/** What JSON has of an object: no symbols, and nothing undefined. */
function definedFieldsOf(fields: Fields): Fields {
  const defined: Fields = {};
  for (const name of Object.keys(fields)) setField(defined, name, fields[name]);
  return defined;
}

/** A copy of a copy: of data that `plainCopyOf` has made, so that nothing is to be found out about it. */
export function detachedCopyOf<T>(data: T): T {
  if (typeof data !== 'object' || data === null) return data;
  if (Array.isArray(data)) return data.map(detachedCopyOf) as T;
  const copy = { ...data } as Fields;
  // Only names that somebody gave to all objects are not its own.
  for (const name in copy) {
    const field = copy[name];
    if (typeof field === 'object' && field !== null && Object.hasOwn(copy, name)) {
      copy[name] = detachedCopyOf(field);
    }
  }
  return copy as T;
}

function setField(copy: Fields, name: string, value: unknown): void {
  // Assigning to this name would not make a field of it.
  if (name === '__proto__') Object.defineProperty(copy, name, { ...OWN_FIELD, value });
  else if (value !== undefined) copy[name] = value;
}

function requireFinite(value: unknown): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new TypeError('a number has no JSON form');
  }
}

function plainScalar(value: unknown): unknown {
  if (typeof value === 'bigint') throw new TypeError('a bigint has no JSON form');
  return typeof value === 'function' || typeof value === 'symbol' ? undefined : value;
}

const OWN_FIELD = { configurable: true, enumerable: true, writable: true } as const;
const NOTHING = Object.freeze({ snapshot: null, text: 'null' });

type Fields = Record<string, unknown>;
type Reader = (value: unknown) => unknown;

/** A getter or a proxy that throws makes the whole value foreign. */
function attempt(value: unknown, read: Reader): unknown {
  left = VALUES;
  try {
    return read(value) ?? null;
  } catch {
    return FOREIGN;
  }
}

/** A report whose text is longer than a text can be is foreign too. */
function textOf(snapshot: unknown): string {
  try {
    return JSON.stringify(snapshot);
  } catch {
    return String(FOREIGN);
  }
}

// --- Reports of drivers. JSON.stringify leaves out what is undefined. ---

const readTab = object(({ id, title, url, active }) => ({
  id: scalar(id),
  title: scalar(title),
  url: scalar(url),
  active: scalar(active),
}));

const readChange = object(({ type, sequence, tab_id, reason, kind, status }) => ({
  type: scalar(type),
  sequence: scalar(sequence),
  tab_id: scalar(tab_id),
  reason: scalar(reason),
  kind: scalar(kind),
  status: scalar(status),
}));

const readObservation = object(
  ({ version, sequence, dropped_changes, title_truncated, changes }) => ({
    version: scalar(version),
    sequence: scalar(sequence),
    dropped_changes: scalar(dropped_changes),
    title_truncated: scalar(title_truncated),
    changes: list(changes, readChange),
  }),
);

const readState = object(({ tabs, observation }) => ({
  tabs: list(tabs, readTab),
  observation: readObservation(observation),
}));

const readOption = object(({ label, value, selected }) => ({
  label: scalar(label),
  value: scalar(value),
  selected: scalar(selected),
}));

const readElement = object(({ ref, role, label, value, options, checked }) => ({
  ref: scalar(ref),
  role: scalar(role),
  label: scalar(label),
  value: scalar(value),
  options: list(options, readOption),
  checked: scalar(checked),
}));

const readScope = object(({ ref, label }) => ({ ref: scalar(ref), label: scalar(label) }));

const readBreakpoint = object((breakpoint) => {
  const { mode, ttl } = breakpoint;
  return exact(breakpoint, { mode: scalar(mode), ttl: scalar(ttl) });
});

/** A read, an image or a file outcome: which one it must be depends on the member. */
const readResult = object((result) => {
  const { version, text, elements, omitted, scopes } = result;
  const { status, effect, cleanup } = result;
  const { type, image_url, file_id, detail, prompt_cache_breakpoint } = result;
  return exact(result, {
    version: scalar(version),
    text: scalar(text),
    elements: list(elements, readElement),
    omitted: list(omitted, scalar),
    scopes: list(scopes, readScope),
    status: scalar(status),
    effect: scalar(effect),
    cleanup: scalar(cleanup),
    type: scalar(type),
    image_url: scalar(image_url),
    file_id: scalar(file_id),
    detail: scalar(detail),
    prompt_cache_breakpoint: readBreakpoint(prompt_cache_breakpoint),
  });
});

/** A picture of a computer's screen; no other field counts. */
const readScreenshot = object(({ type, image_url, file_id }) => ({
  type: scalar(type),
  image_url: scalar(image_url),
  file_id: scalar(file_id),
}));

// --- Outputs of functions ---

const readBlock = object((block) => {
  const { type, text, image_url, file_id, file_data, file_url, filename } = block;
  const { detail, prompt_cache_breakpoint } = block;
  return exact(block, {
    type: scalar(type),
    text: scalar(text),
    image_url: scalar(image_url),
    file_id: scalar(file_id),
    file_data: scalar(file_data),
    file_url: scalar(file_url),
    filename: scalar(filename),
    detail: scalar(detail),
    prompt_cache_breakpoint: readBreakpoint(prompt_cache_breakpoint),
  });
});

const readFunctionOutput: Reader = (value) => list(value, readBlock);

const readSuppliedOutput = object((item) => {
  const { type, call_id, output } = item;
  return exact(item, {
    type: scalar(type),
    call_id: scalar(call_id),
    output: readFunctionOutput(output),
  });
});

const readSupplied: Reader = (value) => list(value, readSuppliedOutput);

// --- Parts ---

function object(read: (fields: Fields) => Fields): Reader {
  return (value) => (isObject(value) ? read(value) : scalar(value));
}

/** A list without holes; an item that is undefined counts as a hole. */
function list(value: unknown, read: Reader): unknown {
  if (!Array.isArray(value)) return scalar(value);
  const length = value.length;
  left -= length;
  if (!(left >= 0)) throw new RangeError('more values than a report can have');
  const items: unknown[] = [];
  for (let index = 0; index < length; index += 1) {
    const item: unknown = value[index];
    if (item === undefined) return FOREIGN;
    items.push(read(item));
  }
  return items;
}

function scalar(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return value;
    case 'number':
      return Number.isInteger(value) ? value : FOREIGN;
    default:
      return value === null ? null : FOREIGN;
  }
}

/**
 * The known fields that are there, and the names of all other own fields: rules that allow no further
 * fields have to see them, even if their value is undefined. The order stays: what is kept of an output
 * is the same text as in other languages (P-5).
 */
function exact(value: Fields, known: Fields): Fields {
  const kept: Fields = {};
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(known, name)) kept[safeName(name)] = 0;
    else if (known[name] !== undefined) kept[name] = known[name];
  }
  // Those that it inherits.
  for (const name in known) {
    if (known[name] !== undefined) kept[name] = known[name];
  }
  return kept;
}

/** A name as JSON can carry it. The names that it cannot carry are known to no rule. */
function safeName(name: string): string {
  return name === '__proto__' || !name.isWellFormed() ? '' : name;
}

/** An image with only the beginnings of its sources; the texts themselves stay here. */
function withImageHeads(fields: Fields): Fields {
  const { image_url, file_id } = fields;
  const crossing = { ...fields };
  if (isLong(image_url)) crossing['image_url'] = head(image_url);
  if (isLong(file_id)) crossing['file_id'] = head(file_id);
  return crossing;
}

const SOURCES = ['text', 'image_url', 'file_id', 'file_data', 'file_url', 'filename'] as const;

/** A function's output with only the beginnings of its texts. */
function outputHeads(output: unknown): unknown {
  return Array.isArray(output) ? output.map(withSourceHeads) : sendableHead(output);
}

/** A block with only the beginnings of its texts. */
function withSourceHeads(block: unknown): unknown {
  if (!isObject(block)) return block;
  const crossing = { ...block };
  for (const name of SOURCES) {
    if (name in crossing) crossing[name] = sendableHead(crossing[name]);
  }
  return crossing;
}

/** The wire cannot carry unpaired surrogates, so such a text is foreign. */
function sendableHead(value: unknown): unknown {
  return typeof value === 'string' && !value.isWellFormed() ? FOREIGN : head(value);
}

function head(value: unknown): unknown {
  return isLong(value) ? value.slice(0, HEAD).toWellFormed() : value;
}

function isLong(value: unknown): value is string {
  return typeof value === 'string' && value.length > HEAD;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
