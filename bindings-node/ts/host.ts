/** A driver and its callbacks, as a toolset calls them. */

import { ConfigurationError } from './errors.js';
import { BROWSER_MEMBERS } from './members.js';
import type { BrowserOptions, BrowserReadOptions, ExecutionContext } from './types.js';

type Method = (...args: unknown[]) => unknown;

/**
 * The methods are captured at construction, so a driver that changes later does not change what was
 * checked. `state` and the callbacks are looked up once at the beginning of each call.
 */
export class BrowserHost {
  /** What the driver implements, by member. */
  readonly methods: ReadonlyMap<string, Method>;
  readonly #driver: Record<string, unknown>;
  readonly #options: Partial<BrowserReadOptions>;

  constructor(driver: unknown, options: BrowserOptions | BrowserReadOptions | null | undefined) {
    if (!isReceiver(driver))
      throw new ConfigurationError('the driver must be an object', 'driver_invalid');
    this.#driver = driver;
    this.#options = (options ?? {}) as Partial<BrowserReadOptions>;
    const methods = new Map<string, Method>();
    for (const member of BROWSER_MEMBERS) {
      const method = member === 'list_tabs' ? undefined : driver[member];
      if (isMethod(method) && method !== Reflect.get(Object.prototype, member)) {
        methods.set(member, method);
      }
    }
    this.methods = methods;
  }

  /** What a call that begins now asks, whatever becomes of the caller's objects meanwhile (B-20). */
  callbacks(): BrowserCallbacks {
    return new BrowserCallbacks(this.#driver, this.#options);
  }

  act(member: string, args: unknown, context: ExecutionContext): unknown {
    return Reflect.apply(this.methods.get(member) as Method, this.#driver, [args, context]);
  }

  get hasConfirm(): boolean {
    return isMethod(this.#options.confirm);
  }

  get hasUrlPolicy(): boolean {
    return isMethod(this.#options.urlPolicy);
  }

  /** A list of names among the options; undefined if it was not given. */
  names(option: 'members' | 'additionalMembers' | 'confirmReads'): string[] | undefined {
    const given: unknown = this.#options[option];
    if (given === undefined || given === null) return undefined;
    if (!Array.isArray(given) || !given.every((name) => typeof name === 'string')) {
      throw new ConfigurationError(`${option} must be a list of member names`, 'unknown_member');
    }
    return [...given];
  }

  get onDiagnostic(): BrowserOptions['onDiagnostic'] {
    return this.#options.onDiagnostic;
  }
}

/** The state and the callbacks of one call. */
export class BrowserCallbacks {
  readonly #driver: object;
  readonly #options: object;
  readonly #state: Method;
  readonly #confirm: Method;
  readonly #urlPolicy: Method;

  constructor(driver: object, options: object) {
    this.#driver = driver;
    this.#options = options;
    this.#state = methodOf(driver, 'state');
    this.#confirm = methodOf(options, 'confirm');
    this.#urlPolicy = methodOf(options, 'urlPolicy');
  }

  state(context: ExecutionContext): unknown {
    return Reflect.apply(this.#state, this.#driver, [context]);
  }

  confirm(action: unknown, context: ExecutionContext): unknown {
    return Reflect.apply(this.#confirm, this.#options, [action, context]);
  }

  reviewUrl(action: unknown, url: unknown, context: ExecutionContext): unknown {
    return Reflect.apply(this.#urlPolicy, this.#options, [action, url, context]);
  }
}

/** What cannot be read, or is no function, fails when it is called. */
function methodOf(owner: object, name: string): Method {
  try {
    return (owner as Record<string, Method>)[name] as Method;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function isReceiver(value: unknown): value is Record<string, unknown> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function isMethod(value: unknown): value is Method {
  return typeof value === 'function';
}
