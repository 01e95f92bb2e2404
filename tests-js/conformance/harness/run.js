/** Runs one scenario of a whole run on the runner and writes down what happened. */
import { ComputerScript } from './computer.js';
import { CALLER_TEXT, HOST_TEXT, Script } from './scenario.js';
import { hostError } from './execute.js';
import { untag } from './tags.js';

const NOT_YET = [
  'ledger',
  'context_budget',
  'stream',
  'eager',
  'record_events',
  'max_concurrent_calls',
  'before_early_call',
  'approve_mcp',
];

/** Why a scenario needs more than the Node face has; undefined if it does not. */
export function needs({ input }) {
  const { options = {}, tools } = input;
  const declared = input.params.tools;
  return (
    NOT_YET.find((option) => option in options) ??
    ['streams', 'turn_actions'].find((part) => part in input) ??
    ('early_execution' in tools ? 'early_execution' : undefined) ??
    (Array.isArray(declared) && declared.some(({ type }) => type === 'mcp') ? 'mcp' : undefined)
  );
}

/** The record of one run. */
export async function runRun({ input }, pack) {
  const { options = {}, tools } = input;
  const script = new Script(
    { ...tools.browser, ...('cancel_at' in options && { cancel_at: options.cancel_at }) },
    (kind) => hostError(kind, pack),
  );
  const record = await attempt(input, script, pack);
  if (record.error_class === 'constructor_rejects') return record;
  return {
    requests: [],
    trace: script.trace,
    driver_calls: script.driverCalls,
    turns: [],
    ...record,
  };
}

async function attempt(input, script, pack) {
  const { options = {}, tools, params } = input;
  const consents = ['approve_safety_checks', 'before_action'].filter((name) => name in options);
  const screen = new ComputerScript(
    { ...tools.computer, ...Object.fromEntries(consents.map((name) => [name, options[name]])) },
    script,
  );
  let runner;
  try {
    const browser = tools.browser && buildToolset(tools.browser, script, pack);
    const functions = (tools.functions ?? []).map((entry) => registered(entry, script));
    const computer = tools.computer && new pack.ComputerToolset(screen.driver());
    runner = new pack.ResponsesToolRunner({ browser, computer, functions });
  } catch (error) {
    if (!(error instanceof pack.Refusal)) throw error;
    return { ok: false, error_class: 'constructor_rejects' };
  }
  const client = new Client(input, script);
  const runOptions = {};
  if ('max_steps' in options) runOptions.maxSteps = untag(options.max_steps);
  if ('cancel_at' in options) runOptions.signal = script.abort.signal;
  if (consents.length > 0) runOptions.computerOptions = screen.callbacks();
  try {
    const response = await runner.run(client, untag(params), runOptions);
    client.noteTurn();
    client.turns.at(-1).final = true;
    return { ok: true, value: { final_id: response.id, closed: false }, ...client.record() };
  } catch (error) {
    if (error instanceof pack.Refusal) return { ok: false, error_class: 'admission_rejects' };
    if (!(error instanceof pack.RunStop)) throw error;
    return {
      ok: false,
      error_class: script.abort.signal.aborted ? 'cancelled' : 'run_stops',
      attempted: error.attemptedCallIds,
      completed: error.completedCallIds,
      ...client.record(),
    };
  }
}

function buildToolset(scenario, script, pack) {
  const options = { confirm: script.confirm, urlPolicy: script.urlPolicy };
  if (scenario.members != null && scenario.members !== 'default')
    options.members = scenario.members;
  if (scenario.additional_members != null) options.additionalMembers = scenario.additional_members;
  if (scenario.confirm_reads != null) options.confirmReads = scenario.confirm_reads;
  if (scenario.confirm === null) delete options.confirm;
  if (scenario.url_policy === null) delete options.urlPolicy;
  return new pack.BrowserToolset(
    script.driver(scenario.implements ?? scenario.members ?? [], true),
    options,
  );
}

function registered(entry, script) {
  const declaration = {
    type: 'function',
    name: untag(entry.name),
    parameters: { type: 'object', properties: {} },
    strict: false,
  };
  for (const [name, value] of Object.entries(entry.declaration ?? {}))
    declaration[name] = untag(value);
  const { behaviour = { returns: 'done' } } = entry;
  return {
    tool: declaration,
    async execute(args) {
      script.trace.push(`function:${entry.name}`);
      script.driverCalls.push({ function: entry.name, arguments: structuredClone(args) });
      script.reach('function');
      return script.play('raises' in behaviour ? { $raises: behaviour.raises } : behaviour.returns);
    },
    ...('allow_output_override' in entry && { allowOutputOverride: entry.allow_output_override }),
    ...('independent' in entry && { independent: entry.independent }),
  };
}

/** Answers with the scripted bodies, and keeps the requests and the turns. */
class Client {
  requests = [];
  turns = [];
  #input;
  #script;
  #sent = [];
  #receipts = [];
  #open;
  _options = {};

  constructor(input, script) {
    this.#input = input;
    this.#script = script;
  }

  responses = {
    create: async (body) => {
      this.noteTurn();
      this.#script.trace.push('request');
      this.requests.push(this.#requestRecord(structuredClone(body)));
      this.#script.reach('request');
      const response = this.#input.responses[this.requests.length - 1];
      if (response === undefined || 'http_status' in response) throw new Error(HOST_TEXT);
      this.#open = { at: this.#script.trace.length, response: untag(response) };
      return this.#open.response;
    },
  };

  record() {
    // A response was accepted if any work of it began.
    if (this.#open && this.#script.trace.length > this.#open.at) this.noteTurn();
    return { requests: this.requests, turns: this.turns };
  }

  /** The response before this was accepted: a turn, which stands before the work it asked for. */
  noteTurn() {
    if (!this.#open) return;
    const { at, response } = this.#open;
    this.#open = undefined;
    this.#script.trace.splice(at, 0, 'turn');
    this.turns.push({
      step: this.requests.length,
      final: false,
      tools_executed: false,
      attempted: [...this.#receipts],
      completed: [...this.#receipts],
      response_id: response.id,
    });
    const isCall = ({ type }) => type === 'function_call' || type === 'computer_call';
    const calls = response.output.filter(isCall);
    this.#receipts.push(...calls.map(({ call_id }) => call_id));
  }

  #requestRecord({ model: _model, input, tools, ...body }) {
    const added = this.#sent.length === 0 ? 'input' : 'appended';
    const items = input.slice(this.#sent.length);
    this.#sent = input;
    return {
      input_types: input.map(({ type = 'message' }) => type),
      [added]: items.map(readable),
      tools: tools.map(({ name, type }) => name ?? type).sort(),
      body,
    };
  }
}

/** An item with the JSON text of a browser output parsed. */
function readable(item) {
  if (item.type !== 'function_call_output' || !Array.isArray(item.output)) return item;
  return { ...item, output: item.output.map(readableBlock) };
}

function readableBlock(block) {
  if (block.type !== 'input_text' || !block.text.startsWith('{"ok":')) return block;
  const payload = JSON.parse(block.text);
  if ('error' in payload) payload.error = payload.error === CALLER_TEXT ? 'caller' : 'fixed';
  return { ...block, text: { $json: payload } };
}
