/** What one run holds on the host's side: the history, and what its functions returned. */

import * as native from '../native/native.js';
import { outputItem } from './browser.js';
import type { ResponsesClient } from './client.js';
import { computerOutputItem, type ComputerOutput } from './computer-output.js';
import type { ComputerCall } from './computer-types.js';
import { ConfigurationError } from './errors.js';
import type { Errands, Pending, Pump } from './pump.js';
import { FOREIGN, functionOutputOf, knownFieldsOf, plainCopyOf, scalarText } from './snapshot.js';

/** A function as it was registered. */
export interface RegisteredFunction {
  /** A copy of the declaration. */
  readonly declaration: unknown;
  readonly owner: object;
  readonly execute: (...args: unknown[]) => unknown;
}

/** The parameters of a run, detached from the caller's. */
export interface RunParams {
  readonly input: unknown;
  /** JSON of all others. */
  readonly others: string;
  /** What the core reads of all of them. */
  readonly known: string;
}

/** The request that the core asks for. */
interface TurnRequest {
  include: string[];
  relaxes_choice?: true;
  /** Whether the computer is to be declared, because the caller did not. */
  adds_computer?: true;
  outputs?: CallOutput[];
}

/** Those without a text and a screenshot are of functions. */
type CallOutput = { call_id: string; text?: string; image?: number } | ComputerOutput;

/** What a run is made of. */
export interface Given {
  readonly client: ResponsesClient;
  readonly params: RunParams;
  /** JSON of the registered tools. */
  readonly tools: string;
  readonly functions: readonly RegisteredFunction[];
  readonly requestOptions: object | undefined;
}

export class Run implements Errands {
  /** The client's own object of the last response. */
  response: unknown;
  readonly #history: unknown[];
  /** The items of the last response as they go back: detached, unknown fields included. */
  #items: unknown[] = [];
  /** What functions returned since the last request, by call id. */
  readonly #outputs = new Map<string, unknown>();

  readonly #given: Given;

  constructor(given: Given) {
    this.#given = given;
    const { input } = given.params;
    this.#history = Array.isArray(input) ? [...input] : [{ role: 'user', content: input }];
  }

  /** What of the parameters the core reads. */
  get known(): string {
    return this.#given.params.known;
  }

  send(text: string, pump: Pump): string | Pending {
    const request = JSON.parse(text) as TurnRequest;
    this.#extendHistory(request.outputs ?? [], pump);
    const body = this.#body(request);
    const { client, requestOptions } = this.#given;
    return pump.perform(
      () => client.responses.create(body, requestOptions),
      (response) => this.#take(response, pump),
      true,
    );
  }

  callFunction(text: string, pump: Pump): string | Pending {
    const call = JSON.parse(text) as { index: number; call_id: string; arguments: string };
    const { execute, owner } = this.#given.functions[call.index] as RegisteredFunction;
    return pump.perform(
      () => Reflect.apply(execute, owner, [JSON.parse(call.arguments), pump.context()]),
      (value) => {
        const output = functionOutputOf(value);
        this.#outputs.set(call.call_id, output.snapshot);
        return pump.answerValue(output);
      },
    );
  }

  /** The item of a call of the last response, as it goes back. */
  computerCall(callId: string): ComputerCall {
    const isCall = (item: unknown): item is ComputerCall => {
      const { type, call_id } = item as Partial<ComputerCall>;
      return type === 'computer_call' && call_id === callId;
    };
    return this.#items.find(isCall) as ComputerCall;
  }

  #extendHistory(outputs: readonly CallOutput[], pump: Pump): void {
    for (const item of this.#items) this.#history.push(item);
    for (const output of outputs) this.#history.push(this.#outputItem(output, pump));
    this.#items = [];
    this.#outputs.clear();
    pump.held.length = 0;
  }

  #outputItem(output: CallOutput, pump: Pump): unknown {
    if ('screenshot' in output) return computerOutputItem(output, pump.held[output.screenshot]);
    const { call_id, text, image } = output;
    return text === undefined
      ? { type: 'function_call_output', call_id, output: this.#outputs.get(call_id) }
      : outputItem(call_id, text, image === undefined ? undefined : pump.held[image]);
  }

  /**
   * Made anew for each request, because a client may edit it. Only the items of the input are the same
   * objects each time: to copy all of them each time would take longer with each request.
   */
  #body(request: TurnRequest): Record<string, unknown> {
    const { params, tools } = this.#given;
    const others = JSON.parse(params.others) as Record<string, unknown>;
    const declared = (others['tools'] ?? []) as unknown[];
    return {
      ...others,
      input: [...this.#history],
      include: request.include,
      tools: [
        ...(JSON.parse(tools) as unknown[]),
        ...declared,
        ...(request.adds_computer ? [{ type: 'computer' }] : []),
      ],
      ...(request.relaxes_choice ? { tool_choice: 'auto' } : undefined),
    };
  }

  #take(response: unknown, pump: Pump): string {
    this.response = response;
    const { items, known } = readResponse(response);
    this.#items = items;
    return pump.answerResponse(known);
  }
}

/** @throws ConfigurationError if they are not plain JSON data. */
export function copyParams(params: unknown): RunParams {
  try {
    const body: unknown = JSON.parse(JSON.stringify(params, denseOnly) ?? 'null');
    const { input, ...others } = (body ?? {}) as Record<string, unknown>;
    return { input, others: JSON.stringify(others), known: knownFieldsOf(body) };
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    throw new ConfigurationError('params cannot be written as JSON', 'params_not_an_object');
  }
}

/** JSON for the core: null says that none is given, which null in JavaScript does not. */
export function stepsText(maxSteps: unknown): string {
  return scalarText(maxSteps === null ? FOREIGN : maxSteps);
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

/**
 * The fields of a response that a run reads, as plain data that later changes do not reach: its items,
 * and what the core reads. A response that cannot be read is foreign, which stops the run.
 */
function readResponse(response: unknown): { items: unknown[]; known: string } {
  try {
    const { status, output, usage } = response as Record<string, unknown>;
    const copy = plainCopyOf({ status, output, usage });
    return { items: replayedItems(copy), known: knownFieldsOf(copy) };
  } catch {
    return { items: [], known: String(FOREIGN) };
  }
}

function replayedItems(copy: unknown): unknown[] {
  const { output } = copy as { output?: unknown };
  return Array.isArray(output) ? output.map(replayedItem) : [];
}

function replayedItem(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return item;
  const kind = 'type' in item && typeof item.type === 'string' ? item.type : '';
  const names = Object.keys(item);
  const replayed = names.filter((name) => isReplayed(kind, name));
  if (replayed.length === names.length) return item;
  return Object.fromEntries(
    replayed.map((name) => [name, (item as Record<string, unknown>)[name]]),
  );
}

/** What the core said of the fields of each kind of item, so that it is asked once. */
const REPLAYED = new Map<string, Map<string, boolean>>();
/** The service may invent kinds and names, but they are not all kept. */
const MOST_KEPT = 256;

function isReplayed(kind: string, name: string): boolean {
  const fields = kept(REPLAYED, kind, () => new Map<string, boolean>());
  return kept(fields, name, () => native.isReplayedField(kind, name));
}

function kept<T>(answers: Map<string, T>, key: string, ask: () => T): T {
  const known = answers.get(key);
  if (known !== undefined) return known;
  if (answers.size >= MOST_KEPT) answers.clear();
  const answer = ask();
  answers.set(key, answer);
  return answer;
}
