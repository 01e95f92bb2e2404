/** Runs one scenario of a whole run on the runner and writes down what happened. */
import { ComputerScript } from './computer.js';
import { hostError } from './execute.js';
import { deface, runnerOf, runOptions } from './run-options.js';
import { turnRecord } from './run-records.js';
import { CALLER_TEXT, HOST_TEXT, Script } from './scenario.js';
import { Service } from './service.js';
import { untag } from './tags.js';

/** Whether the caller of the scenario does something at a turn, so that `run` cannot play it. */
export function actsAtTurns({ input }) {
  return 'turn_actions' in input || 'late_supply' in input;
}

/**
 * The record of one scenario. `clientOf` makes a client for its service; `method` is `iterate`, or `run`,
 * which shows no turns. `observe` is given the diagnostic records, which are no part of the record.
 */
export async function runRun({ input }, pack, { clientOf, method, observe }) {
  const { options = {}, tools } = input;
  const script = new Script(
    { ...tools.browser, ...('cancel_at' in options && { cancel_at: options.cancel_at }) },
    (kind) => hostError(kind, pack),
  );
  const consents = ['approve_safety_checks', 'before_action'].filter((name) => name in options);
  const screen = new ComputerScript(
    { ...tools.computer, ...Object.fromEntries(consents.map((name) => [name, options[name]])) },
    script,
  );
  let runner;
  try {
    runner = runnerOf(input, script, screen, pack);
  } catch (error) {
    if (!(error instanceof pack.Refusal)) return crash(error);
    return { ok: false, error_class: 'constructor_rejects' };
  }
  const service = new Service(input, script);
  const seen = { turns: [], saves: [], compacts: [] };
  const optionsOfRun = () => ({
    ...runOptions(input, script, screen, seen),
    ...(observe && { onDiagnostic: observe }),
  });
  const begin = () => runner[method](clientOf(service), untag(input.params), optionsOfRun());
  const end = await (
    method === 'run' ? runToEnd(begin) : iterateToEnd(begin, input, script, service, seen)
  ).catch((error) => stopRecord(error, script, service, pack));
  return {
    ...end,
    requests: service.requests,
    trace: script.trace,
    driver_calls: script.driverCalls,
    turns: seen.turns,
    ...(seen.saves.length > 0 && { saves: seen.saves }),
    ...(seen.compacts.length > 0 && { compacts: seen.compacts }),
  };
}

async function runToEnd(begin) {
  const { id } = await begin();
  return { ok: true, value: { final_id: id, closed: false } };
}

async function iterateToEnd(begin, input, script, service, seen) {
  const turns = [];
  let closed = false;
  // Leaving the loop closes the iteration.
  for await (const turn of begin()) {
    turns.push(turn);
    script.trace.push('turn');
    const record = turnRecord(turn);
    seen.turns.push(record);
    script.reach('turn');
    const actions = input.turn_actions?.[turns.length - 1] ?? {};
    act(turn, actions, record, service);
    closed = actions.close === true;
    if (closed) break;
  }
  const final = turns.at(-1);
  const value = { final_id: closed ? null : final.response.id, closed };
  return { ok: true, value, ...(input.late_supply && { late_supply: lateUse(final) }) };
}

/** Does what the scenario does at this turn. */
function act(turn, actions, record, service) {
  const outputs = actions.supply_outputs?.map((attempt) => untag(attempt));
  if (outputs) record.supply = outputs.map((attempt) => said(() => turn.supplyOutputs(attempt)));
  outputs?.forEach(deface);
  const texts = actions.append_user_text?.map((attempt) => untag(attempt));
  texts?.forEach((text) => service.noteUserText(text));
  if (texts) record.append = texts.map((text) => said(() => turn.appendUserText(text)));
}

function lateUse(turn) {
  return {
    supply_outputs: said(() => turn.supplyOutputs([{ type: 'function_call_output' }])),
    append_user_text: said(() => turn.appendUserText('x')),
  };
}

function said(attempt) {
  try {
    attempt();
    return 'accepted';
  } catch {
    return 'refused';
  }
}

function stopRecord(error, script, service, pack) {
  if (error instanceof pack.RunStop) {
    if ([HOST_TEXT, CALLER_TEXT].some((text) => error.message.includes(text))) return crash(error);
    const isCancelled = script.abort.signal.aborted && pack.saysCancelled(error);
    return {
      ok: false,
      error_class: isCancelled ? 'cancelled' : 'run_stops',
      attempted: error.attemptedCallIds,
      completed: error.completedCallIds,
    };
  }
  const isMisuse = error instanceof pack.Misuse && service.requests.length === 0;
  return isMisuse ? { ok: false, error_class: 'admission_rejects' } : crash(error);
}

/** A class that no record has. */
function crash(error) {
  return { ok: false, error_class: `crashed: ${error?.stack ?? error}` };
}
