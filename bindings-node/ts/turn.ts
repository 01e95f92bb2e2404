/** A turn, as who iterates sees it (R-20 … R-22). */

import * as native from '../native/native.js';
import { ConfigurationError, fromNative } from './errors.js';
import type { Receipts } from './checkpoint.js';
import type { Session } from './pump.js';
import type { ResponsesRunnerTurn } from './runner-types.js';
import { suppliedOutputsOf } from './snapshot.js';

/** What the core says of a turn. */
export interface TurnView {
  step: number;
  final: boolean;
  tools_executed: boolean;
  tools_withheld: boolean;
}

/** What the ask for a turn says; `receipts` then have all ids so far. */
export function readTurn(ask: string, receipts: Receipts): TurnView {
  const turn = JSON.parse(ask.slice(1)) as TurnView & { attempted: string[]; completed: string[] };
  receipts.add(turn);
  return turn;
}

/** Where what was supplied for a call is kept. */
interface SuppliedTo {
  readonly functionOutputs: { set(callId: string, output: unknown): unknown };
}

/** Shows one turn, and takes what its viewer gives until it is over. */
export class OpenTurn {
  readonly #session: Session;
  readonly #history: SuppliedTo;
  #isOver = false;

  constructor(session: Session, history: SuppliedTo) {
    this.#session = session;
    this.#history = history;
  }

  view<R>(
    turn: TurnView,
    response: R,
    ids: { attempted: readonly string[]; completed: readonly string[] },
  ): ResponsesRunnerTurn<R> {
    return {
      response,
      step: turn.step,
      final: turn.final,
      toolsExecuted: turn.tools_executed,
      toolsWithheld: turn.tools_withheld,
      attemptedCallIds: [...ids.attempted],
      completedCallIds: [...ids.completed],
      supplyOutputs: (outputs) => this.#supply(outputs),
      appendUserText: (text) => this.#append(text),
    };
  }

  close(): void {
    this.#isOver = true;
  }

  #supply(given: unknown): void {
    this.#requireOpen();
    const { outputs, text } = suppliedOutputsOf(given);
    const callIds = attempt(() => native.supplyOutputs(this.#session, text));
    for (const callId of callIds) {
      this.#history.functionOutputs.set(callId, outputs.get(callId));
    }
  }

  #append(text: unknown): void {
    this.#requireOpen();
    const words = typeof text === 'string' ? text : null;
    attempt(() => native.appendUserText(this.#session, JSON.stringify(words)));
  }

  /** The session may have another turn by now, or another run. */
  #requireOpen(): void {
    if (this.#isOver) throw new ConfigurationError('the turn is over', 'turn_over');
  }
}

function attempt<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw fromNative(error);
  }
}
