/** The names of `openai/helpers/responses-tool-runner`. */

export { ResponsesToolRunnerError } from '../errors.js';
export { runnerFunction } from '../runner-function.js';
export { ResponsesToolRunner } from '../runner.js';
export type {
  ResponsesContextBudget,
  ResponsesEarlyExecution,
  ResponsesRunnerCheckpoint,
  ResponsesRunnerLedger,
  ResponsesRunnerOptions,
  ResponsesRunnerTools,
  ResponsesRunnerTurn,
  RunnerFunction,
} from '../runner-types.js';
export type { RunnerDiagnostic, RunnerDiagnosticObserver } from '../types.js';
