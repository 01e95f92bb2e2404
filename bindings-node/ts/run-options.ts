/** The options of one run: read once, checked as far as the core cannot, and brought into its names. */

import { ConfigurationError } from './errors.js';

import { exactCopyOf, FOREIGN, scalarOf, scalarText } from './snapshot.js';

/** A callback of the caller, bound to the object that it came with. */
export type Callback = (argument: unknown) => unknown;

export interface RunOptions {
  /** JSON for the core (`bindings-node/src/options.rs`). */
  readonly text: string;
  /** JSON of `{run_id, resume_from?}`; null without a ledger. */
  readonly ledger: string | null;
  /** The history of the checkpoint that is resumed. */
  readonly saved: readonly unknown[];
  /** Whether the core measures or saves the history, and so has to see all of it. */
  readonly needsWhole: boolean;
  readonly isEager: boolean;
  readonly save: Callback | undefined;
  readonly compact: Callback | undefined;
  readonly onEvent: Callback | undefined;
  readonly beforeEarlyCall: Callback | undefined;
  readonly approveMcp: Callback | undefined;
}

type Fields = Record<string, unknown>;

/** @throws ConfigurationError for a callback that is no function: it would never be asked. */
export function readRunOptions(
  options: object | null | undefined,
  yieldsTurns: boolean,
): RunOptions {
  const given = (options ?? {}) as Fields;
  const { maxSteps, maxConcurrentCalls, stream, eager, finishAtLimit } = given;
  const onEvent = callback(given, 'onEvent');
  const beforeEarlyCall = callback(given, 'beforeEarlyCall');
  const approveMcp = callback(given, 'approveMcp');
  const ledger = readLedger(given['ledger']);
  const budget = readBudget(given['contextBudget']);
  const parts = [
    `"max_steps":${countText(maxSteps)}`,
    `"stream":${scalarText(stream)}`,
    `"eager":${scalarText(eager)}`,
    `"finish_at_limit":${scalarText(finishAtLimit)}`,
    `"approves_mcp":${approveMcp !== undefined}`,
    `"reviews_early":${beforeEarlyCall !== undefined}`,
    `"delivers_events":${onEvent !== undefined}`,
    `"yields_turns":${yieldsTurns}`,
  ];
  if (maxConcurrentCalls !== undefined) {
    parts.push(`"max_concurrent_calls":${countText(maxConcurrentCalls)}`);
  }
  if (budget !== undefined) {
    parts.push(`"context_budget":${budget.text},"compacts":${budget.compact !== undefined}`);
  }
  return {
    text: `{${parts.join()}}`,
    ledger: ledger?.text ?? null,
    saved: ledger?.history ?? [],
    needsWhole: ledger !== undefined || budget !== undefined,
    isEager: eager === true,
    save: ledger?.save,
    compact: budget?.compact,
    onEvent,
    beforeEarlyCall,
    approveMcp,
  };
}

/** JSON of a runner's `earlyExecution` for the core; null lets all calls be early. */
export function earlyText(given: unknown): string {
  if (given === undefined || given === null) return 'null';
  return attempt(() => JSON.stringify(renamed(given, EARLY)));
}

/** JSON for the core: null says that none is given, which null in JavaScript does not. */
export function countText(count: unknown): string {
  return scalarText(count === null ? FOREIGN : count);
}

/** What `compact` returned, in the core's names; other names are passed on, to be refused. */
export function decisionText(decision: unknown): string {
  return attempt(() => JSON.stringify(renamed(decision, DECISION)));
}

/** What cannot be read is refused by the core. */
function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return String(FOREIGN);
  }
}

const EARLY: ReadonlyMap<string, string> = new Map([
  ['functions', 'functions'],
  ['computer', 'computer'],
]);

const DECISION: ReadonlyMap<string, string> = new Map([
  ['dropCallIds', 'drop_call_ids'],
  ['summary', 'summary'],
]);

const BUDGET: ReadonlyMap<string, string> = new Map([
  ['maxInputBytes', 'max_input_bytes'],
  ['maxInputImages', 'max_input_images'],
  ['keepRecentScreenshots', 'keep_recent_screenshots'],
  ['compact', 'compact'],
]);

function callback(owner: Fields, name: string): Callback | undefined {
  const given = owner[name] ?? undefined;
  if (given === undefined) return undefined;
  if (typeof given !== 'function') {
    throw new ConfigurationError(`${name} must be a function`, 'callback_invalid');
  }
  return (argument) => Reflect.apply(given, owner, [argument]) as unknown;
}

function readLedger(
  given: unknown,
): { text: string; history: readonly unknown[]; save: Callback | undefined } | undefined {
  if (given === undefined || given === null) return undefined;
  // The core refuses what is no object.
  if (typeof given !== 'object') return { text: String(FOREIGN), history: [], save: undefined };
  const { runId, save, resumeFrom } = given as Fields;
  if (typeof save !== 'function') {
    throw new ConfigurationError('ledger.save must be a function', 'ledger_invalid');
  }
  const checkpoint = resumeFrom === undefined || resumeFrom === null ? null : copyOf(resumeFrom);
  const { history } = (checkpoint ?? {}) as { history?: unknown };
  return {
    text: `{"run_id":${scalarText(runId)},"resume_from":${JSON.stringify(checkpoint)}}`,
    history: Array.isArray(history) ? (history as unknown[]) : [],
    save: (saved) => Reflect.apply(save, given, [saved]) as unknown,
  };
}

function copyOf(checkpoint: unknown): unknown {
  try {
    return exactCopyOf(checkpoint) ?? FOREIGN;
  } catch {
    throw new ConfigurationError('ledger.resumeFrom is no plain JSON data', 'checkpoint_invalid');
  }
}

function readBudget(given: unknown): { text: string; compact: Callback | undefined } | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given !== 'object') return { text: String(FOREIGN), compact: undefined };
  try {
    const fields = renamed(given, BUDGET) as Fields;
    const { compact, ...others } = fields;
    if (typeof compact !== 'function') {
      return { text: JSON.stringify(fields), compact: undefined };
    }
    return {
      text: JSON.stringify(others),
      compact: (snapshot) => Reflect.apply(compact, given, [snapshot]) as unknown,
    };
  } catch {
    throw new ConfigurationError('contextBudget cannot be read', 'context_budget_invalid');
  }
}

/** The known fields that are there, each read once, and a mark for each other one. */
function renamed(given: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return FOREIGN;
  const fields: Fields = {};
  for (const [name, coreName] of names) {
    const value = (given as Fields)[name];
    if (value !== undefined) fields[coreName] = name === 'compact' ? value : known(value);
  }
  const unknownNames = Object.keys(given).filter((name) => !names.has(name));
  unknownNames.forEach((_, index) => (fields[`unknown ${index}`] = 0));
  return fields;
}

function known(value: unknown): unknown {
  return Array.isArray(value) ? Array.from(value, scalarOf) : scalarOf(value);
}
