/** A computer driver and the caller's callbacks, as a pump calls them. */

import * as native from '../native/native.js';
import type { ComputerAction, ComputerCall, ComputerExecutionOptions } from './computer-types.js';
import { ConfigurationError } from './errors.js';
import { detachedCopyOf } from './snapshot.js';
import type { ExecutionContext } from './types.js';

type Method = (...args: unknown[]) => unknown;

/** The methods are captured at construction, so a driver that changes later does not change anything. */
export class ComputerHost {
  readonly #driver: object;
  readonly #methods = new Map<string, Method>();

  /** @throws ConfigurationError if a method is missing (C-1). */
  constructor(driver: unknown) {
    if ((typeof driver !== 'object' && typeof driver !== 'function') || driver === null) {
      throw new ConfigurationError('the driver must be an object', 'driver_incomplete');
    }
    this.#driver = driver;
    for (const name of native.computerMethods()) {
      const method: unknown = Reflect.get(driver, name);
      if (typeof method !== 'function') {
        throw new ConfigurationError(`the driver has no method ${name}`, 'driver_incomplete');
      }
      this.#methods.set(name, method as Method);
    }
  }

  act(action: ComputerAction, context: ExecutionContext): unknown {
    return Reflect.apply(this.#methods.get(action.type) as Method, this.#driver, [action, context]);
  }

  screenshot(context: ExecutionContext): unknown {
    return Reflect.apply(this.#methods.get('screenshot') as Method, this.#driver, [context]);
  }
}

/** The caller's callbacks, read once for each piece of work. */
export class ComputerConsent {
  readonly #options: object;
  readonly #approveSafetyChecks: Method | undefined;
  readonly #beforeAction: Method | undefined;

  /** @throws ConfigurationError for a callback that is no function: it would never be asked. */
  constructor(options: ComputerExecutionOptions | null | undefined) {
    this.#options = options ?? {};
    this.#approveSafetyChecks = callback(options, 'approveSafetyChecks');
    this.#beforeAction = callback(options, 'beforeAction');
  }

  /** Which callbacks there are, as the core is told. */
  get given(): number {
    return (this.#approveSafetyChecks ? 1 : 0) + (this.#beforeAction ? 2 : 0);
  }

  approve(call: ComputerCall, context: ExecutionContext): unknown {
    return this.#ask(this.#approveSafetyChecks, call, context);
  }

  review(action: ComputerAction, call: ComputerCall, context: ExecutionContext): unknown {
    return this.#ask(this.#beforeAction, action, call, context);
  }

  #ask(callback: Method | undefined, ...args: unknown[]): unknown {
    return callback && Reflect.apply(callback, this.#options, args);
  }
}

/**
 * The computer calls of one piece of work. Everything that is handed out is a copy of its own, made from
 * the call as it came, unknown fields included; JavaScript has one kind of number, so a copy says what
 * the core's checked action says.
 */
export class ComputerDesk {
  readonly #host: ComputerHost;
  readonly #consent: ComputerConsent;
  readonly #callOf: (callId: string) => ComputerCall;

  /** `callOf` gives a call that the core has checked; in a run it is asked by the call's id. */
  constructor(
    host: ComputerHost,
    consent: ComputerConsent,
    callOf: (callId: string) => ComputerCall,
  ) {
    this.#host = host;
    this.#consent = consent;
    this.#callOf = callOf;
  }

  approve(callId: string, context: ExecutionContext): unknown {
    return this.#consent.approve(callFor(this.#callOf(callId)), context);
  }

  review(position: string, context: ExecutionContext): unknown {
    const { call, action } = this.#find(position);
    return this.#consent.review(action, callFor(call), context);
  }

  act(position: string, context: ExecutionContext): unknown {
    return this.#host.act(this.#find(position).action, context);
  }

  screenshot(context: ExecutionContext): unknown {
    return this.#host.screenshot(context);
  }

  /** `position` is the action's index, a space and the call's id. */
  #find(position: string): { call: ComputerCall; action: ComputerAction } {
    const end = position.indexOf(' ');
    const call = this.#callOf(position.slice(end + 1));
    const actions = call.actions ?? [call.action];
    // One past the last is the final picture.
    const action = actions[Number(position.slice(0, end))] ?? { type: 'screenshot' };
    return { call, action: actionFor(action as ComputerAction) };
  }
}

function callback(
  options: ComputerExecutionOptions | null | undefined,
  name: 'approveSafetyChecks' | 'beforeAction',
): Method | undefined {
  const given: unknown = options?.[name] ?? undefined;
  if (given !== undefined && typeof given !== 'function') {
    throw new ConfigurationError(`${name} must be a function`, 'callback_invalid');
  }
  return given as Method | undefined;
}

/** A call with its list of safety checks, which a call of the newer form may leave out (C-8). */
function callFor(call: ComputerCall): ComputerCall {
  const copy = detachedCopyOf(call);
  copy.pending_safety_checks ??= [];
  for (const action of copy.actions ?? [copy.action]) complete(action as ComputerAction);
  return copy;
}

function actionFor(action: ComputerAction): ComputerAction {
  return complete(detachedCopyOf(action));
}

/** The one field that the types promise and the wire leaves out now and then. */
function complete(action: ComputerAction): ComputerAction {
  if (action.type === 'double_click') action.keys ??= null;
  return action;
}
