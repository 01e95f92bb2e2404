/** What one run asks of its host: the errands of a run, and what it holds for them. */

import * as native from '../native/native.js';
import { Checkpoints, Receipts, type CheckpointParts } from './checkpoint.js';
import type { ResponsesClient } from './client.js';
import type { ComputerCall } from './computer-types.js';
import { performFunction } from './function-errands.js';
import { FunctionCalls, type RegisteredFunction } from './functions.js';
import { History, userMessage, type HistoryUpdate, type Projection } from './history.js';
import type { RunParams } from './params.js';
import { Kind, leaveAlone, type Errands, type Pump, type Step } from './pump.js';
import { RequestBodies, StepOptions, type TurnRequest } from './request.js';
import { readResponse } from './response.js';
import { decisionText, readRunOptions, type RunOptions } from './run-options.js';
import { detachedCopyOf, plainCopyOf, scalarText } from './snapshot.js';
import { endLate, openStream, readEvent, ResponseStream } from './stream.js';

/** The kinds of the items that a run works on itself. */
export const LOCAL_CALLS = ['function_call', 'computer_call'];

/** What a run is made of. */
export interface Given {
  readonly client: ResponsesClient;
  readonly params: RunParams;
  readonly options: RunOptions;
  /** The registered tools, this package's own copies. */
  readonly tools: readonly unknown[];
  /** Whether the run has a computer of its own. */
  readonly hasComputer: boolean;
  readonly functions: readonly RegisteredFunction[];
  readonly requestOptions: object | null | undefined;
  readonly signal: AbortSignal | undefined;
}

/** New ids of calls, as the core tells them. */
interface NewIds {
  attempted: string[];
  completed: string[];
}

export class Run implements Errands {
  /** See `Pump.kept`: this keeps what runs are made of. */
  static readonly kept = new Run({
    client: { responses: { create: () => undefined } },
    params: { text: '{}', input: '', others: {}, known: () => '' },
    options: readRunOptions(undefined, false),
    tools: [],
    hasComputer: false,
    functions: [],
    requestOptions: undefined,
    signal: undefined,
  });
  /** The client's own object of the last response. */
  response: unknown;
  readonly receipts = new Receipts();
  readonly history: History;
  /** See {@link History}. */
  readonly held: unknown[] = [];
  readonly #client: ResponsesClient;
  readonly #options: RunOptions;
  readonly #bodies: RequestBodies;
  readonly #stepOptions: StepOptions;
  readonly #functions: FunctionCalls;
  #stream: ResponseStream | undefined;
  /** The copy of the event that was read last. */
  #event: unknown;
  #checkpoints: Checkpoints | undefined;
  /** What a ledger is given of the response: as it was before an observer or a caller saw it (L-2). */
  #savedResponse: () => unknown = () => undefined;
  // Made once, because a stream has many events.
  readonly #next = (): unknown => this.#stream?.next();
  readonly #takeNext = (result: unknown, pump: Pump): Step => this.#takeEvent(result, pump);
  readonly #leaveStream = (): void => this.#stream?.end(false);
  readonly #deliver = (): unknown => this.#options.onEvent?.(this.#event);

  constructor(given: Given) {
    const { client, params, options } = given;
    this.#client = client;
    this.#options = options;
    const { input } = params;
    const fresh = Array.isArray(input) ? (input as unknown[]) : [userMessage(input)];
    this.history = new History([...options.saved, ...fresh], this.held);
    this.#bodies = new RequestBodies(params.others, given.tools);
    this.#stepOptions = new StepOptions(client, given.requestOptions, given.signal);
    this.#functions = new FunctionCalls(given.functions);
  }

  get running(): Promise<unknown> | undefined {
    return this.#functions.running;
  }

  /** JSON of all tools of each request. */
  allTools(hasComputer: boolean): string {
    return JSON.stringify(this.#bodies.tools(hasComputer && !this.#bodies.declaresComputer));
  }

  perform(ask: string, pump: Pump): Step | undefined {
    const rest = ask.slice(1);
    switch (ask[0]) {
      case Kind.Send:
        return this.#send(JSON.parse(rest) as TurnRequest, pump);
      case Kind.ReadEvent:
        return pump.perform(this.#next, this.#takeNext, this.#leaveStream);
      case Kind.DeliverEvent:
        return pump.perform(this.#deliver, sayDone, leaveAlone);
      case Kind.ReviewEarly:
        return this.#reviewEarly(rest, pump);
      case Kind.ApproveMcp:
        return this.#approveMcp(JSON.parse(rest) as McpRequest, pump);
      case Kind.Measure: {
        const { from, ...update } = JSON.parse(rest) as HistoryUpdate & { from: number };
        this.history.apply(update);
        return pump.answerText(JSON.stringify(this.history.items.slice(from)));
      }
      case Kind.Compact:
        return this.#compact(JSON.parse(rest) as CompactRequest, pump);
      case Kind.Save:
        return this.#save(JSON.parse(rest) as CheckpointParts & NewIds, pump);
      default:
        return performFunction(ask, this.#functions, pump, (callId, snapshot) =>
          this.history.functionOutputs.set(callId, snapshot),
        );
    }
  }

  /** The item of a computer call of the response at hand. */
  computerCall(callId: string): ComputerCall {
    return this.history.find(['computer_call'], 'call_id', callId) as ComputerCall;
  }

  /** Lets go of what is still open. */
  close(): void {
    this.#leaveStream();
  }

  #send(request: TurnRequest, pump: Pump): Step {
    this.history.apply(request);
    this.history.beginRequest();
    this.held.length = 0;
    this.#functions.typed.forget();
    const body = this.#bodies.make(request, this.history.projected(request.projection));
    const options = this.#stepOptions.make(request);
    if (request.streams) {
      return pump.perform(
        () => openStream(this.#client, body, options),
        (source) => this.#takeStream(source, pump),
        endLate,
      );
    }
    return pump.perform(
      () => this.#client.responses.create(body, options),
      (response) => {
        const { items, text } = readResponse(response, false);
        this.#takeResponse(response, items);
        return this.#whenParsed(items, text, pump, (told) => pump.answerResponse(told));
      },
      leaveAlone,
    );
  }

  /** Goes on once the calls of typed functions among the items are parsed. */
  #whenParsed(
    items: readonly unknown[],
    text: string,
    pump: Pump,
    goOn: (told: string) => Step,
  ): Step {
    const { typed } = this.#functions;
    const pending = typed.parse(items);
    return pending === undefined
      ? goOn(typed.told(text))
      : pump.perform(
          () => pending,
          () => goOn(typed.told(text)),
          leaveAlone,
        );
  }

  #takeResponse(response: unknown, items: unknown[]): void {
    this.response = response;
    if (this.#options.save !== undefined) this.#savedResponse = copied(response);
    this.history.takeResponse(items);
  }

  #takeStream(source: unknown, pump: Pump): Step {
    try {
      this.#stream = new ResponseStream(source);
    } catch (error) {
      return pump.fail(error);
    }
    return pump.answerStreaming();
  }

  #takeEvent(result: unknown, pump: Pump): Step {
    const stream = this.#stream as ResponseStream;
    let event: unknown;
    let isOver: boolean;
    try {
      const { done, value } = result as IteratorResult<unknown>;
      isOver = Boolean(done);
      event = value;
    } catch (error) {
      return pump.fail(error);
    }
    if (isOver) {
      stream.end(true);
      return pump.answerStreamEnded();
    }
    const { text, kind, copy, item, items, ending } = readEvent(
      event,
      this.#options.onEvent !== undefined,
      this.#options.isEager,
    );
    this.#event = copy;
    if (ending !== undefined) this.response = ending;
    if (typeof item?.index === 'number') this.history.takeStreamed(item.index, item.item);
    if (items === undefined && item === undefined) return pump.answerEvent(text, kind);
    return this.#whenParsed(items ?? [item?.item], text, pump, (told) =>
      items === undefined
        ? pump.answerEvent(told)
        : this.#endStream(event, items, told, stream, pump),
    );
  }

  #endStream(
    event: unknown,
    items: unknown[],
    text: string,
    stream: ResponseStream,
    pump: Pump,
  ): Step {
    return pump.perform(
      () => stream.final(event),
      (response) => {
        stream.end(false);
        this.#takeResponse(response, items);
        return pump.answerEvent(text);
      },
      this.#leaveStream,
    );
  }

  #reviewEarly(callId: string, pump: Pump): Step {
    const call = detachedCopyOf(this.history.find(LOCAL_CALLS, 'call_id', callId));
    return pump.perform(() => this.#options.beforeEarlyCall?.(call), giveScalar, leaveAlone);
  }

  #approveMcp({ id, request_at, answer_at }: McpRequest, pump: Pump): Step {
    const { items } = this.history;
    const request =
      request_at === undefined
        ? this.history.find(['mcp_approval_request'], 'id', id)
        : items[request_at];
    return pump.perform(
      () => this.#options.approveMcp?.(detachedCopyOf(request)),
      (decision) => {
        if (answer_at !== undefined && typeof decision === 'boolean') {
          (items[answer_at] as { approve: boolean }).approve = decision;
        }
        return giveScalar(decision, pump);
      },
      leaveAlone,
    );
  }

  #compact(request: CompactRequest, pump: Pump): Step {
    const snapshot = {
      history: this.history.projected(request.projection).map(detachedCopyOf),
      eligibleCallIds: request.eligible_call_ids,
      inputBytes: request.input_bytes,
      inputImages: request.input_images,
    };
    return pump.perform(
      () => this.#options.compact?.(snapshot),
      (decision) => pump.answerText(decisionText(decision)),
      leaveAlone,
    );
  }

  #save(parts: CheckpointParts & NewIds, pump: Pump): Step {
    this.receipts.add(parts);
    this.history.apply(parts);
    this.#checkpoints ??= new Checkpoints(native.checkpointFrame(pump.session) as string);
    const checkpoints = this.#checkpoints;
    return pump.perform(
      () =>
        this.#options.save?.(
          checkpoints.make(parts, this.history, this.receipts, this.#savedResponse),
        ),
      sayDone,
      leaveAlone,
    );
  }
}

/** Gives a plain copy that is made at once; what has none is told when it is asked for. */
function copied(response: unknown): () => unknown {
  try {
    const copy = plainCopyOf(response);
    return () => copy;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

export interface McpRequest {
  id: string;
  request_at?: number;
  answer_at?: number;
}

interface CompactRequest {
  eligible_call_ids: string[];
  input_bytes: number;
  input_images: number;
  projection?: Exclude<Projection, undefined>;
}

export const sayDone = (_value: unknown, pump: Pump): Step => pump.answerSeen();

export const giveScalar = (value: unknown, pump: Pump): Step => pump.answerText(scalarText(value));
