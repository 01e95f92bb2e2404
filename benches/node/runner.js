// CPU time of whole runs, beside the published `openai` helper in the same process.
//
// Prints milliseconds of CPU for one run of each package and their ratio: function turns, turns with a ledger whose `save`
// does nothing, one response with a thousand function calls and a ledger, and a stream of text events. The client is a test
// double whose responses are made beforehand. The first case is short, and is repeated until V8 has compiled what it runs.
// Needs Node >= 22 for the npm client.

import { ResponsesToolRunner as Published } from 'openai/helpers/responses-tool-runner';
import { ResponsesToolRunner } from 'swingbridge';
import { cpuSeconds, header, row, rowOnce } from './measure.js';

const TURNS = 200;
const LEDGER_TURNS = 100;
const CALLS = 1000;
const EVENTS = 20_000;
const PARAMS = { model: 'm', input: 'look' };

const look = {
  tool: {
    type: 'function',
    name: 'look',
    parameters: { type: 'object', properties: {}, required: [] },
    strict: false,
  },
  execute: async () => 'seen',
};
const call = (number) => ({
  type: 'function_call',
  id: `fc_${number}`,
  call_id: `call_${number}`,
  name: 'look',
  arguments: '{}',
  status: 'completed',
});
const MESSAGE = {
  type: 'message',
  id: 'm',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'done', annotations: [] }],
};
const responseOf = (step, output) => ({ id: `resp_${step}`, status: 'completed', output });
const numbers = (count) => Array.from({ length: count }, (_, index) => index + 1);

/** What the published helper reads of a client besides. */
const INSIDE = { _options: {}, timeout: 600_000 };

function clientOf(answers) {
  let step = 0;
  return {
    ...INSIDE,
    again() {
      step = 0;
      return this;
    },
    responses: { create: async () => answers[step++] },
  };
}

function runCase(Runner, outputs, ledger) {
  const answers = [...outputs, [MESSAGE]].map((output, index) => responseOf(index + 1, output));
  const client = clientOf(answers);
  const runner = new Runner({ functions: [look] });
  const options = { maxSteps: answers.length, ...(ledger ? { ledger } : undefined) };
  return (times) =>
    cpuSeconds(async () => {
      for (let done = 0; done < times; done += 1) {
        await runner.run(client.again(), PARAMS, options);
      }
    });
}

function streamCase(Runner) {
  const response = responseOf(1, [MESSAGE]);
  const delta = (number) => ({
    type: 'response.output_text.delta',
    item_id: 'm',
    output_index: 0,
    content_index: 0,
    delta: 'word ',
    logprobs: [],
    sequence_number: number,
  });
  const events = [
    { type: 'response.created', response },
    ...numbers(EVENTS - 2).map(delta),
    { type: 'response.completed', response },
  ];
  const stream = () => ({
    async *[Symbol.asyncIterator]() {
      yield* events;
    },
    finalResponse: async () => response,
    abort() {},
  });
  const client = { ...INSIDE, responses: { create: async () => stream(), stream } };
  const runner = new Runner({ functions: [look] });
  let seen = 0;
  const onEvent = () => {
    seen += 1;
  };
  return () => cpuSeconds(() => runner.run(client, PARAMS, { stream: true, onEvent }));
}

const both = (make) => [make(ResponsesToolRunner), make(Published)];
const ledger = { runId: 'run_1', save: async () => undefined };
const turns = numbers(TURNS).map((number) => [call(number)]);
const batch = [numbers(CALLS).map(call)];
const node = `node ${process.versions.node}`;
header();
await row(`${node}, run of ${TURNS} turns`, ...both((Runner) => runCase(Runner, turns)), 'ms');
const some = turns.slice(0, LEDGER_TURNS);
await rowOnce(
  `${node}, ${LEDGER_TURNS} turns, ledger`,
  ...both((Runner) => runCase(Runner, some, ledger)),
);
await rowOnce(
  `${node}, ${CALLS} calls, ledger`,
  ...both((Runner) => runCase(Runner, batch, ledger)),
);
await rowOnce(`${node}, ${EVENTS} events, onEvent`, ...both(streamCase));
