/** A driver and its callbacks, as a toolset calls them. */

import { ConfigurationError } from './errors.js';
import { BROWSER_MEMBERS } from './members.js';
import type { BrowserOptions, BrowserReadOptions, ExecutionContext } from './types.js';

type Method = (...args: unknown[]) => unknown;

/**
 * The methods are captured at construction, so a driver that changes later does not change what was
 * checked. `state` and the callbacks are looked up at each call on the caller's own objects.
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

  state(context: ExecutionContext): unknown {
    return (this.#driver as { state: Method }).state(context);
  }

  act(member: string, args: unknown, context: ExecutionContext): unknown {
    return Reflect.apply(this.methods.get(member) as Method, this.#driver, [args, context]);
  }

  confirm(action: unknown, context: ExecutionContext): unknown {
    return (this.#options as { confirm: Method }).confirm(action, context);
  }

  reviewUrl(action: unknown, url: unknown, context: ExecutionContext): unknown {
    return (this.#options as { urlPolicy: Method }).urlPolicy(action, url, context);
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

function isReceiver(value: unknown): value is Record<string, unknown> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function isMethod(value: unknown): value is Method {
  return typeof value === 'function';
}
