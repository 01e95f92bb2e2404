/** What every run asks for alike: calls of functions. */

import type { FunctionCalls } from './functions.js';
import { Kind, type Pump, type Step } from './pump.js';
import { functionOutputOf, type Snapshot } from './snapshot.js';

/** Keeps what was returned for a call. */
export type KeepOutput = (callId: string, snapshot: unknown) => void;

type Call = Parameters<FunctionCalls['call']>[0];

/** Performs an ask about a function; undefined for any other. */
export function performFunction(
  ask: string,
  functions: FunctionCalls,
  pump: Pump,
  keep: KeepOutput,
): Step | undefined {
  const rest = ask.slice(1);
  const answer = (callId: string, output: Snapshot): Step => {
    keep(callId, output.snapshot);
    return pump.answerValue(output);
  };
  switch (ask[0]) {
    case Kind.CallFunction: {
      const call = JSON.parse(rest) as Call;
      return pump.perform(
        () => functions.call(call, pump.context()),
        (value) => answer(call.call_id, functionOutputOf(value)),
      );
    }
    case Kind.StartFunction:
      functions.start(JSON.parse(rest) as Call, pump.context());
      return pump.answerSeen();
    case Kind.AwaitFunction:
      return pump.perform(
        () => functions.finish(rest),
        (output) => answer(rest, output as Snapshot),
      );
    default:
      return undefined;
  }
}
