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
  const record = await execute(toolset, script, pack);
  return { ...record, trace, driver_calls: driverCalls };
}

async function execute(toolset, script, pack) {
  try {
    const output = await toolset.execute(untag(script.scenario.call), script.options());
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
  trace = [];
  driverCalls = [];
  abort = new AbortController();
  raised;
  #seen = new Map();

  constructor(scenario) {
    this.scenario = scenario;
    this.#reach('start');
  }

  /** An object with the nine methods but those that are missing. */
  driver() {
    const methods = METHODS.map((name) => [name, async (action) => this.#act(name, action)]);
    methods.push(['screenshot', async () => this.#screenshot()]);
    const missing = this.scenario.missing_methods ?? [];
    return Object.fromEntries(methods.filter(([name]) => !missing.includes(name)));
  }

  /** The callbacks that are given, and the signal. */
  options() {
    const { scenario, abort } = this;
    const options = 'cancel_at' in scenario ? { signal: abort.signal } : {};
    if ('approve_safety_checks' in scenario) {
      options.approveSafetyChecks = async (call) => {
        this.trace.push('approve_safety_checks');
        return this.#consent('approve_safety_checks', call);
      };
    }
    if ('before_action' in scenario) {
      options.beforeAction = async (action) => {
        this.trace.push(`before_action:${action.type}`);
        return this.#consent('before_action', action);
      };
    }
    return options;
  }

  #act(method, action) {
    this.trace.push(`driver:${method}`);
    this.driverCalls.push({ method, action: structuredClone(action) });
    this.#reach('driver');
    if (this.scenario.driver_raises?.includes(method)) this.#raise();
  }

  #screenshot() {
    this.trace.push('driver:screenshot');
    this.driverCalls.push({ method: 'screenshot' });
    this.#reach('driver');
    const { screenshot = SCREENSHOT } = this.scenario;
    if (isRaise(screenshot)) this.#raise();
    return untag(screenshot);
  }

  #consent(name, given) {
    const behaviours = [this.scenario[name]].flat();
    const behaviour = behaviours[Math.min(this.#reach(name), behaviours.length - 1)];
    if (behaviour.mutates) given.type = 'defaced';
    if ('raises' in behaviour) this.#raise();
    return untag(behaviour.returns);
  }

  #raise() {
    this.raised = new RangeError(HOST_TEXT);
    throw this.raised;
  }

  /** Counts from 0. `cancel_at` names an event, or its nth occurrence: "driver#2". */
  #reach(event) {
    const step = this.#seen.get(event) ?? 0;
    this.#seen.set(event, step + 1);
    if ([event, `${event}#${step + 1}`].includes(this.scenario.cancel_at)) this.abort.abort();
    return step;
  }
}

function isRaise(value) {
  return typeof value === 'object' && value !== null && '$raises' in value;
}
