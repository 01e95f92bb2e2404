/** The scripted side of a scenario: a driver, its callbacks, and the switch for cancelling. */
import { untag } from './tags.js';

/**
 * The words of the driver's own error, which the model is meant to read, and of any other failure of
 * the host, which it is not. No sentence of a package looks like either.
 */
export const CALLER_TEXT = 'the scripted driver refused: tag 7c1d';
export const HOST_TEXT = 'the scripted host failed: tag 9e40';

const READ = { version: 1, text: 't', elements: [], omitted: [] };
const IMAGE = { type: 'input_image', image_url: 'data:image/png;base64,AA==' };
const TRANSFER = { version: 1, status: 'completed', effect: 'completed', cleanup: 'completed' };
const DEFAULT_RESULTS = {
  find: 't',
  read_page: 't',
  get_page_text: 't',
  run_script: 't',
  read_diagnostics: READ,
  read_page_scoped: { ...READ, scopes: [] },
  screenshot: IMAGE,
  zoom: IMAGE,
  upload_file: TRANSFER,
  download_file: TRANSFER,
};
const APPROVE = { returns: true };

/** What the driver and the callbacks of one scenario do, and what was asked of them. */
export class Script {
  trace = [];
  driverCalls = [];
  contexts = [];
  declined = false;
  driverFailed = false;
  abort = new AbortController();
  #scenario;
  #makeError;
  #seen = new Map();

  constructor(scenario, makeError) {
    this.#scenario = scenario;
    this.#makeError = makeError;
    this.reach('start');
  }

  /** An object with a method for each member that is implemented, and `state`. */
  driver(implemented, hasState) {
    const methods = implemented
      .filter((name) => name !== 'list_tabs')
      .map((name) => [name, async (args) => this.#act(name, args)]);
    if (hasState) methods.push(['state', async () => this.#state()]);
    return Object.fromEntries(methods);
  }

  confirm = async (context) => {
    this.trace.push(context.phase === undefined ? 'confirm' : `confirm:${context.phase}`);
    this.contexts.push(structuredClone({ callback: 'confirm', context }));
    return this.#consent('confirm', context);
  };

  urlPolicy = async (context, url) => {
    this.trace.push('url_policy');
    this.contexts.push(structuredClone({ callback: 'url_policy', context, url }));
    return this.#consent('url_policy', context);
  };

  #state() {
    this.trace.push('state');
    const states = this.#scenario.states ?? [{ tabs: [] }];
    return this.play(nth(states, this.reach('state')));
  }

  #act(method, args) {
    this.trace.push(`driver:${method}`);
    this.driverCalls.push({ method, arguments: structuredClone(args) });
    this.reach('driver');
    const results = { ...DEFAULT_RESULTS, ...this.#scenario.results };
    const result = 'result' in this.#scenario ? this.#scenario.result : results[method];
    this.driverFailed = isRaise(result);
    return this.play(result);
  }

  #consent(name, context) {
    const behaviour = nth([this.#scenario[name] ?? APPROVE].flat(), this.reach(name));
    if (behaviour.mutates) deface(context);
    if ('raises' in behaviour) {
      this.declined = true;
      throw this.#makeError(behaviour.raises);
    }
    const answer = untag(behaviour.returns);
    this.declined ||= answer !== true;
    return answer;
  }

  /** Returns or throws as scripted. */
  play(scripted) {
    if (isRaise(scripted)) throw this.#makeError(scripted.$raises);
    return untag(scripted);
  }

  /** Returns or throws as a behaviour says. */
  follow(behaviour) {
    return this.play('raises' in behaviour ? { $raises: behaviour.raises } : behaviour.returns);
  }

  /** The next answer of a callback whose answer is looked at whole. */
  answer(name, behaviours) {
    return this.follow(nth([behaviours].flat(), this.reach(name)));
  }

  /** Counts from 0. `cancel_at` names an event, or its nth occurrence: "state#2". */
  reach(event) {
    const step = this.#seen.get(event) ?? 0;
    this.#seen.set(event, step + 1);
    if ([event, `${event}#${step + 1}`].includes(this.#scenario.cancel_at)) this.abort.abort();
    return step;
  }
}

/** Changes a context at every depth that a careless callback might reach. */
function deface(context) {
  for (const name of Object.keys(context.arguments)) delete context.arguments[name];
  context.arguments.defaced = true;
  if (context.state) {
    context.state.tabs.push({ id: 'defaced' });
    context.state.defaced = true;
  }
  context.member = context.call_id = 'defaced';
}

function nth(items, step) {
  return items[Math.min(step, items.length - 1)];
}

function isRaise(value) {
  return typeof value === 'object' && value !== null && '$raises' in value;
}
