/**
 * What a run on the native client asks of its host. The history stays in the addon, as text: objects are
 * made of what a callback looks at, and of no more.
 */

import * as native from '../../native/native.js';
import { Receipts } from '../checkpoint.js';
import type { ComputerCall } from '../computer-types.js';
import { performFunction } from '../function-errands.js';
import { FunctionCalls } from '../functions.js';
import { Kind, leaveAlone, type Errands, type Pump, type Session, type Step } from '../pump.js';
import { RequestBodies, StepOptions, type TurnRequest } from '../request.js';
import { giveScalar, LOCAL_CALLS, sayDone, type Given, type McpRequest } from '../run.js';
import { responseOf, textIn, type Inside } from './client.js';
import type { Source } from './events.js';
import { Exchange } from './exchange.js';
import { requestText } from './settings.js';
import type { ClientRequestOptions } from './types.js';

type Reply = native.ExternalObject<native.Reply>;
type Conversation = native.ExternalObject<native.Conversation>;

const MOST_EVENTS = 0xffff_ffff;

export class NativeRun implements Errands {
  readonly receipts = new Receipts();
  readonly held: HeldSources;
  readonly history: { readonly functionOutputs: KeptOutputs };
  readonly #given: Given;
  readonly #inside: Inside;
  readonly #functions: FunctionCalls;
  readonly #stepOptions: StepOptions;
  #opened: Conversation | undefined;
  /** Of the request or the stream at hand. */
  #exchange = new Exchange(undefined);
  #source: Source | undefined;
  /** Whether events of the stream are at hand. */
  #hasEvents = false;
  /** Made when somebody looks at it. */
  #response: unknown;

  constructor(given: Given, inside: Inside) {
    this.#given = given;
    this.#inside = inside;
    this.#functions = new FunctionCalls(given.functions);
    this.#stepOptions = new StepOptions(given.client, given.requestOptions, given.signal);
    const conversation = (): Conversation => this.#conversation;
    this.held = new HeldSources(conversation);
    this.history = { functionOutputs: new KeptOutputs(conversation) };
  }

  get running(): Promise<unknown> | undefined {
    return this.#functions.running;
  }

  /** The last response; undefined before the first. */
  get response(): unknown {
    if (this.#response === undefined && this.#opened !== undefined) {
      const last = native.lastResponse(this.#opened);
      if (last !== null) this.#response = responseOf(last);
    }
    return this.#response;
  }

  /** Tells the addon, once the run has begun, that its requests are sent from here. */
  begin(session: Session): void {
    native.sendsItself(session);
  }

  perform(ask: string, pump: Pump): Step | undefined {
    const rest = ask.slice(1);
    const { options } = this.#given;
    switch (ask[0]) {
      case Kind.Send:
        return this.#send(JSON.parse(rest) as TurnRequest, pump);
      case Kind.ReadEvent:
        return this.#readEvent(this.#source as Source, pump);
      case Kind.DeliverEvent:
        return pump.perform(
          () => options.onEvent?.(JSON.parse(native.lastEvent(this.#source as Source) as string)),
          sayDone,
          leaveAlone,
        );
      case Kind.ReviewEarly: {
        const call = this.#item(LOCAL_CALLS, 'call_id', rest);
        return pump.perform(() => options.beforeEarlyCall?.(call), giveScalar, leaveAlone);
      }
      case Kind.ApproveMcp:
        return this.#approveMcp(JSON.parse(rest) as McpRequest, pump);
      default:
        return performFunction(ask, this.#functions, pump, (callId, snapshot) =>
          this.history.functionOutputs.set(callId, snapshot),
        );
    }
  }

  /** The item of a computer call of the response at hand. */
  computerCall(callId: string): ComputerCall {
    return this.#item(['computer_call'], 'call_id', callId) as ComputerCall;
  }

  /** Lets go of what is still open. */
  close(): void {
    this.#exchange.abort();
    if (this.#source !== undefined) native.closeEvents(this.#source);
  }

  /** Opened when it is needed first, which is after the run was admitted. */
  get #conversation(): Conversation {
    if (this.#opened !== undefined) return this.#opened;
    const { params, tools, hasComputer, options } = this.#given;
    const bodies = new RequestBodies(params.others, tools);
    const local = bodies.localTools(hasComputer);
    this.#opened = native.openConversation(params.text, JSON.stringify(local), options.isEager);
    return this.#opened;
  }

  #send(request: TurnRequest, pump: Pump): Step {
    this.#functions.typed.forget();
    this.#hasEvents = false;
    const conversation = this.#conversation;
    const exchange = (this.#exchange = new Exchange(undefined));
    const options = (this.#stepOptions.make(request) ?? {}) as ClientRequestOptions;
    const send = (): Promise<Reply | Source | string> => {
      const { sender } = this.#inside;
      const text = requestText(options);
      return exchange.run(
        (handle) => native.sendTurn(pump.session, conversation, sender, handle, text),
        textIn,
      );
    };
    this.held.forget();
    if (!request.streams) {
      return pump.perform(
        send,
        (reply) => this.#takeReply(reply as Reply, pump),
        () => exchange.abort(),
      );
    }
    return pump.perform(
      send,
      (source) => {
        this.#source = source as Source;
        return pump.answerStreaming();
      },
      (late) => {
        exchange.abort();
        late.then(
          (source) => native.closeEvents(source as Source),
          () => undefined,
        );
      },
    );
  }

  #takeReply(reply: Reply, pump: Pump): Step {
    return this.#whenParsed(
      () => native.callsInReply(reply),
      pump,
      () =>
        pump.answerBy((ask, isAborted, now) => {
          this.#response = undefined;
          const { refused } = this.#functions.typed;
          const next = native.answerReply(
            pump.session,
            this.#conversation,
            ask,
            reply,
            refused,
            isAborted,
            now,
          );
          return { ask: next, count: 1 };
        }),
    );
  }

  #readEvent(source: Source, pump: Pump): Step {
    if (this.#hasEvents) return this.#takeEvents(source, pump);
    const exchange = this.#exchange;
    return pump.perform(
      () =>
        exchange.run(
          (handle) => native.awaitEvents(source, handle),
          (outcome) => outcome || undefined,
        ),
      (outcome) => {
        if (outcome === null) return this.#takeEvents(source, pump);
        native.closeEvents(source);
        return pump.answerStreamEnded();
      },
      () => exchange.abort(),
    );
  }

  #takeEvents(source: Source, pump: Pump): Step {
    const { typed } = this.#functions;
    return this.#whenParsed(
      () => native.callsInEvent(this.#conversation, source),
      pump,
      () =>
        pump.answerBy((ask, isAborted, now) => {
          this.#response = undefined;
          const answered = native.answerEvents(
            pump.session,
            this.#conversation,
            ask,
            source,
            // The calls of each event are parsed before it is answered with.
            typed.isEmpty ? MOST_EVENTS : 1,
            typed.refused,
            isAborted,
            now,
          );
          this.#hasEvents = answered.more;
          return answered;
        }),
    );
  }

  /** Goes on once the calls of typed functions are parsed. */
  #whenParsed(calls: () => string, pump: Pump, goOn: () => Step): Step {
    const { typed } = this.#functions;
    if (typed.isEmpty) return goOn();
    const pending = typed.parse(JSON.parse(calls()) as unknown[]);
    return pending === undefined ? goOn() : pump.perform(() => pending, goOn, leaveAlone);
  }

  #approveMcp({ id, request_at, answer_at }: McpRequest, pump: Pump): Step {
    const conversation = this.#conversation;
    const request =
      request_at === undefined
        ? this.#item(['mcp_approval_request'], 'id', id)
        : parsed(native.historyItem(conversation, request_at));
    return pump.perform(
      () => this.#given.options.approveMcp?.(request),
      (decision) => {
        if (answer_at !== undefined && typeof decision === 'boolean') {
          const answer = parsed(native.historyItem(conversation, answer_at)) as object;
          const text = JSON.stringify({ ...answer, approve: decision });
          native.setHistoryItem(conversation, answer_at, text);
        }
        return giveScalar(decision, pump);
      },
      leaveAlone,
    );
  }

  /** A copy of an item of the response at hand. */
  #item(kinds: string[], field: string, text: string): unknown {
    return parsed(native.itemWith(this.#conversation, kinds, field, text));
  }
}

/** Gives the sources of images to the addon, which lays out the outputs with them. */
class HeldSources {
  length = 0;
  readonly #conversation: () => Conversation;

  constructor(conversation: () => Conversation) {
    this.#conversation = conversation;
  }

  push(snapshot: unknown): void {
    const { image_url, file_id } = snapshot as Record<string, unknown>;
    for (const [source, text] of Object.entries({ image_url, file_id })) {
      if (typeof text === 'string') {
        native.keepSource(this.#conversation(), this.length, source, text);
      }
    }
    this.length += 1;
  }

  forget(): void {
    this.length = 0;
  }
}

/** Gives what was returned for a call to the addon. */
class KeptOutputs {
  readonly #conversation: () => Conversation;

  constructor(conversation: () => Conversation) {
    this.#conversation = conversation;
  }

  set(callId: string, output: unknown): void {
    native.keepOutput(this.#conversation(), callId, JSON.stringify(output));
  }
}

function parsed(text: string | null): unknown {
  return text === null ? undefined : JSON.parse(text);
}
