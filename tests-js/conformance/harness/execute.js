/** Runs one scenario on a package and writes down what happened. */
import { CALLER_TEXT, HOST_TEXT, Script } from './scenario.js';
import { untag } from './tags.js';

/** The names of a package, `swingbridge` or `openai`, that a scenario needs. */
export async function loadPackage(name) {
  const helper = await import(`${name}/helpers/browser`);
  const runner = await import(`${name}/helpers/responses-tool-runner`);
  const { ComputerToolset } = await import(`${name}/helpers/computer`);
  const isOurs = name === 'swingbridge';
  const { ContractError, ConfigurationError } = isOurs ? await import('swingbridge') : {};
  return {
    ResponsesToolRunner: runner.ResponsesToolRunner,
    RunStop: runner.ResponsesToolRunnerError,
    BrowserToolset: helper.BrowserToolset,
    ComputerToolset,
    BrowserError: helper.BrowserError,
    constants: {
      BROWSER_MEMBERS: helper.BROWSER_MEMBERS,
      DEFAULT_BROWSER_MEMBERS: helper.DEFAULT_BROWSER_MEMBERS,
    },
    // Any other class counts as a crash, so that a slip inside the package is not taken for a stop.
    Stop: isOurs ? ContractError : Error,
    Refusal: isOurs ? ConfigurationError : TypeError,
    // What a run throws before its first request, if the use is wrong.
    Misuse: isOurs ? ConfigurationError : Error,
    // The measured package's own error of a run does not say why it ended.
    saysCancelled: ({ code }) => !isOurs || code === 'run_cancelled',
  };
}

/** The record of one scenario. */
export async function runVector({ input: scenario }, pack) {
  if ('constant' in scenario) {
    return { ok: true, value: { tools: [...pack.constants[scenario.constant]] } };
  }
  const script = new Script(scenario, (kind) => hostError(kind, pack));
  const { trace, driverCalls, contexts } = script;
  let toolset;
  try {
    toolset = buildToolset(scenario, script, pack);
  } catch (error) {
    const isRefusal = error instanceof pack.Refusal;
    return { ok: false, error_class: isRefusal ? 'constructor_rejects' : crash(error), trace };
  }
  if (!('member' in scenario)) {
    return { ok: true, value: declared(toolset.tools(), scenario.record_schema), trace };
  }
  const record = await execute(toolset, scenario, script, pack);
  Object.assign(record, { trace, driver_calls: driverCalls });
  if (scenario.record_contexts) record.contexts = contexts;
  return record;
}

/** What a scripted failure throws. */
export function hostError(kind, pack) {
  switch (kind) {
    case 'error':
      return new RangeError(HOST_TEXT);
    case 'browser_error':
      return new pack.BrowserError(CALLER_TEXT);
    case 'cancelled':
      return new DOMException(HOST_TEXT, 'AbortError');
    default:
      throw new Error(`unknown failure ${kind}`);
  }
}

function buildToolset(scenario, script, pack) {
  const onlyMember = 'member' in scenario ? [scenario.member] : [];
  const driver = script.driver(scenario.implements ?? onlyMember, scenario.state_method ?? true);
  // Without a member the scenario is about the constructor alone, whose own default counts.
  const members = scenario.members === undefined ? onlyMember : scenario.members;
  const isGiven =
    members !== null &&
    members !== 'default' &&
    !(members === onlyMember && !('member' in scenario));
  const options = {};
  if (isGiven) options.members = untag(members);
  if (scenario.additional_members != null)
    options.additionalMembers = untag(scenario.additional_members);
  if (scenario.confirm_reads != null) options.confirmReads = untag(scenario.confirm_reads);
  if (scenario.confirm !== null) options.confirm = script.confirm;
  if (scenario.url_policy !== null) options.urlPolicy = script.urlPolicy;
  return new pack.BrowserToolset(driver, options);
}

async function execute(toolset, scenario, script, pack) {
  const call = {
    type: 'function_call',
    name: `browser_${scenario.member}`,
    arguments: untag(scenario.arguments),
    call_id: 'call_1',
    status: 'completed',
  };
  for (const [name, value] of Object.entries(scenario.call ?? {})) {
    call[name] = untag(value);
    if (call[name] === undefined) delete call[name];
  }
  const options = 'cancel_at' in scenario ? { signal: script.abort.signal } : {};
  let output;
  try {
    output = await toolset.execute(call, options);
  } catch (error) {
    return { ok: false, error_class: classOfError(error, script, pack) };
  }
  try {
    return readOutput(output, script);
  } catch (error) {
    return { ok: false, error_class: `malformed output: ${error.message}` };
  }
}

function classOfError(error, script, pack) {
  const { signal } = script.abort;
  if (signal.aborted && error === signal.reason) return 'cancelled';
  return error instanceof pack.Stop ? 'run_stops' : crash(error);
}

/** A class that no record has. */
function crash(error) {
  return `crashed: ${error?.stack ?? error}`;
}

/** What the model gets, as a record. */
function readOutput(output, script) {
  requireFields(output, ['call_id', 'output', 'type']);
  const [text, ...images] = output.output;
  requireFields(text, ['text', 'type']);
  const content = output.output.map(({ type }) => type);
  const payload = JSON.parse(text.text);
  if ('error' in payload) {
    payload.error = whoseWords(payload.error);
    return { ok: false, error_class: classOfRefusal(payload, script), payload, content };
  }
  const value = { payload, content, call_id: output.call_id, type: output.type };
  if (images.length > 0) [value.image] = images;
  return { ok: true, value };
}

function requireFields(item, names) {
  const found = Object.keys(item).sort().join();
  if (found !== names.join()) throw new Error(`expected an object of ${names}, not of ${found}`);
}

function whoseWords(error) {
  if (error === CALLER_TEXT) return 'caller';
  if (typeof error !== 'string' || error === '' || error.includes(HOST_TEXT)) {
    throw new Error('an error for the model is a sentence of the package');
  }
  return 'fixed';
}

/** By what was asked of the host, so that an error is not taken for one of another kind. */
function classOfRefusal(payload, script) {
  if (script.driverFailed) return 'action_error';
  if (script.driverCalls.length > 0) return 'unclassified';
  if (script.declined) return 'refused';
  if (script.contexts.length > 0) return 'unclassified';
  return 'state' in payload ? 'argument_error' : 'unavailable_or_read_refused';
}

function declared(tools, withSchema) {
  const value = { tools: tools.map(({ name }) => name) };
  if (withSchema) {
    const byName = (field) => Object.fromEntries(tools.map((tool) => [tool.name, field(tool)]));
    value.schema = byName(({ parameters }) => withoutDescriptions(parameters));
    value.strict = byName(({ strict }) => strict);
    value.required_order = byName(({ parameters }) => parameters.required);
  }
  return value;
}

function withoutDescriptions(schema) {
  if (Array.isArray(schema)) return schema.map(withoutDescriptions);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(([name]) => name !== 'description');
  return Object.fromEntries(
    kept.map(([name, part]) => [
      name,
      // Here the keys are field names, and a field may be called "description".
      name === 'properties'
        ? Object.fromEntries(
            Object.entries(part).map(([field, inner]) => [field, withoutDescriptions(inner)]),
          )
        : withoutDescriptions(part),
    ]),
  );
}
