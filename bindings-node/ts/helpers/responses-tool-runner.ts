/** The names of `openai/helpers/responses-tool-runner` that this version has. */

export { ResponsesToolRunnerError } from '../errors.js';
export { ResponsesToolRunner } from '../runner.js';
export type { ResponsesRunnerOptions, ResponsesRunnerTools, RunnerFunction } from '../runner.js';
export type { RunnerDiagnostic, RunnerDiagnosticObserver } from '../types.js';
