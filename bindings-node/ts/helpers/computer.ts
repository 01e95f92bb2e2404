/** The names of `openai/helpers/computer`. */

export { ComputerToolset } from '../computer.js';
export type {
  ComputerCallInput,
  ComputerDriver,
  ComputerExecutionOptions,
  ComputerRunOptions,
  ComputerScreenshot,
} from '../computer-types.js';
export type { RunnerDiagnostic, RunnerDiagnosticObserver } from '../types.js';
