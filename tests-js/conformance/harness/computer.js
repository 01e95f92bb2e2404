/** Runs one scenario of a computer call and writes down what happened. */
import { HOST_TEXT } from './scenario.js';
import { untag } from './tags.js';

const METHODS = ['click', 'double_click', 'drag', 'keypress', 'move', 'scroll', 'type', 'wait'];
const SCREENSHOT = { type: 'computer_screenshot', image_url: 'data:image/png;base64,AA==' };

/** The names of the package under test that a scenario needs. */
export async function loadComputerPackage(specifier) {
  const { ComputerToolset } = await import(specifier);
  const isOurs = specifier.startsWith('swingbridge');
  const { ComputerUseError, ConfigurationError } = isOurs ? await import('swingbridge') : {};
  return {
    ComputerToolset,
    // Any other class counts as a crash, so that a slip inside the package is not taken for a stop.
    Stop: isOurs ? ComputerUseError : Error,
    Refusal: isOurs ? ConfigurationError : Error,
  };
}

/** The record of one scenario. */
export async function runComputerVector({ input: scenario }, pack) {
  const script = new ComputerScript(scenario);
  const { trace, driverCalls } = script;
  let toolset;
  try {
    toolset = new pack.ComputerToolset(script.driver());
  } catch (error) {
    const isRefusal = error instanceof pack.Refusal;
    return { ok: false, error_class: isRefusal ? 'constructor_rejects' : crash(error), trace };
  }
  const record = await execute(toolset, scenario, script, pack);
  return { ...record, trace, driver_calls: driverCalls };
}

async function execute(toolset, scenario, script, pack) {
  const options = script.callbacks();
  if ('cancel_at' in scenario) options.signal = script.abort.signal;
  try {
    const output = await toolset.execute(untag(scenario.call), options);
    return { ok: true, value: { output } };
  } catch (error) {
    return { ok: false, error_class: classOfError(error, script, pack) };
  }
}

function classOfError(error, script, pack) {
  const { signal } = script.abort;
  if (signal.aborted && error === signal.reason) return 'cancelled';
  // What the driver or a callback raised comes out as it is.
  return error === script.raised || error instanceof pack.Stop ? 'run_stops' : crash(error);
}

/** A class that no record has. */
function crash(error) {
  return `crashed: ${error?.stack ?? error}`;
}

/** What the driver and the callbacks of one scenario do, and what was asked of them. */
export class ComputerScript {
  raised;
  #scenario;
  #log;

  /** A run keeps one log for all its tools. */
  constructor(scenario, log = new Log(scenario.cancel_at)) {
    this.#scenario = scenario;
    this.#log = log;
  }

  get trace() {
    return this.#log.trace;
  }

  get driverCalls() {
    return this.#log.driverCalls;
  }

  get abort() {
    return this.#log.abort;
  }

  /** An object with the nine methods but those that are missing. */
  driver() {
    const methods = METHODS.map((name) => [name, async (action) => this.#act(name, action)]);
    methods.push(['screenshot', async () => this.#screenshot()]);
    const missing = this.#scenario.missing_methods ?? [];
    return Object.fromEntries(methods.filter(([name]) => !missing.includes(name)));
  }

  /** The callbacks that are given. */
  callbacks() {
    const callbacks = {};
    if ('approve_safety_checks' in this.#scenario) {
      callbacks.approveSafetyChecks = async (call) => {
        this.trace.push('approve_safety_checks');
        return this.#consent('approve_safety_checks', call);
      };
    }
    if ('before_action' in this.#scenario) {
      callbacks.beforeAction = async (action) => {
        this.trace.push(`before_action:${action.type}`);
        return this.#consent('before_action', action);
      };
    }
    return callbacks;
  }

  #act(method, action) {
    this.trace.push(`driver:${method}`);
    this.driverCalls.push({ method, action: structuredClone(action) });
    this.#log.reach('driver');
    if (this.#scenario.driver_raises?.includes(method)) this.#raise();
  }

  #screenshot() {
    this.trace.push('driver:screenshot');
    this.driverCalls.push({ method: 'screenshot' });
    this.#log.reach('driver');
    const { screenshot = SCREENSHOT } = this.#scenario;
    if (isRaise(screenshot)) this.#raise();
    return untag(screenshot);
  }

  #consent(name, given) {
    const behaviours = [this.#scenario[name]].flat();
    const behaviour = behaviours[Math.min(this.#log.reach(name), behaviours.length - 1)];
    if (behaviour.mutates) given.type = 'defaced';
    if ('raises' in behaviour) this.#raise();
    return untag(behaviour.returns);
  }

  #raise() {
    this.raised = new RangeError(HOST_TEXT);
    throw this.raised;
  }
}

/** What happened, and the switch that is thrown when something happens. */
class Log {
  trace = [];
  driverCalls = [];
  abort = new AbortController();
  #cancelAt;
  #seen = new Map();

  constructor(cancelAt) {
    this.#cancelAt = cancelAt;
    this.reach('start');
  }

  /** Counts from 0. `cancel_at` names an event, or its nth occurrence: "driver#2". */
  reach(event) {
    const step = this.#seen.get(event) ?? 0;
    this.#seen.set(event, step + 1);
    if ([event, `${event}#${step + 1}`].includes(this.#cancelAt)) this.abort.abort();
    return step;
  }
}

function isRaise(value) {
  return typeof value === 'object' && value !== null && '$raises' in value;
}
