/**
 * Plays scenarios of whole runs for a test in another language (P-5): a scenario a line comes in, and what
 * became of it, with the texts of its checkpoints and of the inputs of its requests, a line goes out.
 */
import { createInterface } from 'node:readline';
import { loadPackage } from '../conformance/harness/execute.js';
import { runRun } from '../conformance/harness/run.js';
import { plainClient } from '../conformance/harness/service.js';

const pack = await loadPackage('swingbridge');

/** A runner that notes what it sends and saves. */
function notingRunner(checkpoints, inputs) {
  return class {
    #runner;

    constructor(tools) {
      this.#runner = new pack.ResponsesToolRunner(tools);
    }

    iterate({ responses }, params, options) {
      const create = (body, ...rest) => {
        inputs.push(JSON.stringify(body.input));
        return responses.create(body, ...rest);
      };
      return this.#runner.iterate({ responses: { create } }, params, {
        ...options,
        ledger: { ...options.ledger, save: noting(options.ledger.save, checkpoints) },
      });
    }
  };
}

function noting(save, checkpoints) {
  return async (checkpoint) => {
    const text = JSON.stringify(checkpoint);
    await save(checkpoint);
    checkpoints.push(text);
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  const checkpoints = [];
  const inputs = [];
  const record = await runRun(
    { input: JSON.parse(line) },
    { ...pack, ResponsesToolRunner: notingRunner(checkpoints, inputs) },
    { clientOf: plainClient, method: 'iterate' },
  );
  process.stdout.write(`${JSON.stringify({ record, checkpoints, inputs })}\n`);
}
