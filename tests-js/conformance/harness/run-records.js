/** What is written down of requests, checkpoints, compactions and turns (`conformance/README.md`). */
import { isDeepStrictEqual } from 'node:util';
import { CALLER_TEXT } from './scenario.js';
import { untag } from './tags.js';

/** Knows what came from the scenario, and so which words of a request the package itself wrote. */
export class HistoryReader {
  #summary;
  #sent;
  #callIds = new Set();
  #givenTexts = new Set();

  constructor({ params, options = {} }) {
    this.#summary = options.context_budget?.compact?.summary;
    const prompt = untag(params.input);
    const history = options.ledger?.resume_from?.history;
    for (const items of [prompt, history && untag(history)]) {
      if (Array.isArray(items)) this.noteItems(items);
      else this.noteUserText(items);
    }
  }

  noteItems(items) {
    for (const item of Array.isArray(items) ? items : []) {
      if (typeof item?.call_id === 'string') this.#callIds.add(item.call_id);
      this.noteUserText(item?.content);
    }
  }

  noteUserText(text) {
    if (typeof text === 'string') this.#givenTexts.add(text);
  }

  requestRecord({ model: _model, input, tools = [], ...body }) {
    const before = this.#sent;
    const extendsBefore =
      before !== undefined && isDeepStrictEqual(input.slice(0, before.length), before);
    this.#sent = input;
    const shown = extendsBefore ? input.slice(before.length) : input;
    return {
      input_types: kinds(input),
      [extendsBefore ? 'appended' : 'input']: shown.map((item) => this.#readable(item)),
      tools: names(tools),
      body,
    };
  }

  #readable(item) {
    if (item.type === 'function_call_output' && Array.isArray(item.output)) {
      return { ...item, output: item.output.map(readableBlock) };
    }
    const { content: words, ...rest } = item;
    if (item.role !== 'user' || typeof words !== 'string' || this.#givenTexts.has(words)) {
      return item;
    }
    const generated = {
      mentions: [...this.#callIds].filter((id) => words.includes(id)).sort(),
      has_summary: this.#summary !== undefined && words.includes(this.#summary),
    };
    return { ...rest, content: { $generated: generated } };
  }
}

/** A block with the JSON text of a browser output parsed. */
function readableBlock(block) {
  if (block.type !== 'input_text' || !block.text.startsWith('{"ok":')) return block;
  const payload = JSON.parse(block.text);
  if ('error' in payload) payload.error = payload.error === CALLER_TEXT ? 'caller' : 'fixed';
  return { ...block, text: { $json: payload } };
}

export function checkpointRecord(checkpoint) {
  const isJson = isDeepStrictEqual(JSON.parse(JSON.stringify(checkpoint)), checkpoint);
  if (!isJson) return { $unexpected: 'a checkpoint that does not survive its storage' };
  const { tools } = checkpoint;
  const mcp = tools.filter(({ type }) => type === 'mcp');
  return {
    phase: checkpoint.phase,
    revision: checkpoint.revision,
    consumed_requests: checkpoint.consumed_requests,
    max_steps: checkpoint.max_steps,
    attempted: [...checkpoint.attempted_call_ids],
    returned: [...checkpoint.returned_call_ids],
    pending_types: kinds(checkpoint.pending_items),
    returned_output_types: kinds(checkpoint.returned_outputs),
    history_types: kinds(checkpoint.history),
    has_final: checkpoint.final_response !== null,
    keys: Object.keys(checkpoint).sort(),
    tools: names(tools),
    server_urls: mcp.map(({ server_url: url }) => url).filter((url) => url !== undefined),
    mcp_keys: mcp.map((tool) => Object.keys(tool).sort()),
    output_override_names: [...checkpoint.output_override_names],
  };
}

export function compactionRecord({ history, eligibleCallIds, inputBytes, inputImages }) {
  return {
    eligible_call_ids: [...eligibleCallIds],
    input_bytes: inputBytes,
    input_images: inputImages,
    history_types: kinds(history),
  };
}

export function turnRecord(turn) {
  return {
    step: turn.step,
    final: turn.final,
    tools_executed: turn.toolsExecuted,
    attempted: [...turn.attemptedCallIds],
    completed: [...turn.completedCallIds],
    response_id: turn.response.id,
  };
}

/** A record of a run as `run` shows it, which has no turns. */
export function withoutTurns(record) {
  const { turns: _turns, ...kept } = record;
  if (!kept.trace) return kept;
  return { ...kept, trace: kept.trace.filter((entry) => entry !== 'turn') };
}

function kinds(items) {
  return items.map(({ type = 'message' }) => type);
}

function names(tools) {
  return tools.map(({ name, type }) => name ?? type).sort();
}
