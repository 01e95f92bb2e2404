/** What a scenario gives to the runner and to the run. */
import { checkpointRecord, compactionRecord } from './run-records.js';
import { untag } from './tags.js';

export function runnerOf({ tools }, script, screen, pack) {
  const config = {};
  if (tools.browser) config.browser = browserToolset(tools.browser, script, pack);
  if (tools.computer) config.computer = new pack.ComputerToolset(screen.driver());
  if (tools.functions) config.functions = tools.functions.map((entry) => registered(entry, script));
  if ('early_execution' in tools) config.earlyExecution = untag(tools.early_execution);
  return new pack.ResponsesToolRunner(config);
}

function browserToolset(scenario, script, pack) {
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
  for (const [name, value] of Object.entries(entry.declaration ?? {})) {
    declaration[name] = untag(value);
    if (declaration[name] === undefined) delete declaration[name];
  }
  return {
    tool: declaration,
    async execute(args) {
      script.trace.push(`function:${entry.name}`);
      script.driverCalls.push({ function: entry.name, arguments: structuredClone(args) });
      deface(args);
      script.reach('function');
      return script.follow(entry.behaviour ?? { returns: 'done' });
    },
    ...('allow_output_override' in entry && { allowOutputOverride: entry.allow_output_override }),
    ...('independent' in entry && { independent: entry.independent }),
  };
}

/** The options of a run; what is asked of them goes to the script, `saves` and `compacts`. */
export function runOptions({ options: given = {} }, script, screen, { saves, compacts }) {
  const options = {};
  for (const name of ['max_steps', 'stream', 'eager', 'max_concurrent_calls']) {
    if (name in given) options[camelCase(name)] = untag(given[name]);
  }
  if ('cancel_at' in given) options.signal = script.abort.signal;
  const computerOptions = screen.callbacks();
  if (Object.keys(computerOptions).length > 0) options.computerOptions = computerOptions;
  if (given.record_events) {
    options.onEvent = async (event) => {
      script.trace.push(`event:${event.type}`);
      deface(event);
    };
  }
  if ('approve_mcp' in given) {
    options.approveMcp = async (request) => {
      script.trace.push(`approve_mcp:${request.id}`);
      deface(request);
      return script.answer('approve_mcp', given.approve_mcp);
    };
  }
  if ('before_early_call' in given) {
    options.beforeEarlyCall = async (call) => {
      script.trace.push(`before_early_call:${call.call_id}`);
      deface(call);
      return script.answer('before_early_call', given.before_early_call);
    };
  }
  if ('ledger' in given) options.ledger = ledgerOf(given.ledger, script, saves);
  if ('context_budget' in given) {
    options.contextBudget = budgetOf(given.context_budget, script, compacts);
  }
  return options;
}

function ledgerOf(given, script, saves) {
  const ledger = {
    runId: untag(given.run_id),
    async save(checkpoint) {
      script.trace.push(`save:${checkpoint.phase}`);
      saves.push(checkpointRecord(checkpoint));
      deface(checkpoint);
      script.reach('save');
      if (saves.length === given.raises_at) script.follow({ raises: 'error' });
    },
  };
  if ('resume_from' in given) ledger.resumeFrom = untag(given.resume_from);
  return ledger;
}

function budgetOf({ compact, ...given }, script, compacts) {
  const fields = Object.entries(given).map(([name, value]) => [camelCase(name), untag(value)]);
  const budget = Object.fromEntries(fields);
  if (compact === undefined) return budget;
  if (compact === null || '$literal' in compact) {
    return { ...budget, compact: compact && untag(compact.$literal) };
  }
  budget.compact = async (snapshot) => {
    script.trace.push('compact');
    const eligible = [...snapshot.eligibleCallIds];
    compacts.push(compactionRecord(snapshot));
    deface(snapshot);
    script.reach('compact');
    return decision(compact, eligible, script);
  };
  return budget;
}

function decision(scripted, eligible, script) {
  if ('raises' in scripted) return script.follow(scripted);
  if ('decision' in scripted) return withCamelCase(untag(scripted.decision));
  const { drop, summary } = scripted;
  const dropCallIds = Array.isArray(drop)
    ? untag(drop)
    : eligible.slice(0, drop === 'eligible' ? undefined : drop);
  return { dropCallIds, ...(summary !== undefined && { summary: untag(summary) }) };
}

function withCamelCase(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [camelCase(name), field]));
}

/** What was copied on its way in or out can be destroyed, and nobody sees it. */
export function deface(value) {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, part] of Object.entries(value)) {
    deface(part);
    if (Array.isArray(value)) value[name] = 'defaced';
    else delete value[name];
  }
}

function camelCase(name) {
  return name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
}
