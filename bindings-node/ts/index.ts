export { BrowserToolset } from './browser.js';
export { ComputerToolset } from './computer.js';
export type {
  ComputerAction,
  ComputerCall,
  ComputerCallInput,
  ComputerCallOutput,
  ComputerDriver,
  ComputerExecutionOptions,
  ComputerRunOptions,
  ComputerSafetyCheck,
  ComputerScreenshot,
} from './computer-types.js';
export type { ParamsOf, RequestOptionsOf, ResponseOf, ResponsesClient } from './client.js';
export {
  BrowserError,
  BusyError,
  ClosedError,
  ComputerUseError,
  ConfigurationError,
  ContractError,
  DriverError,
  DrivingError,
  ResponsesToolRunnerError,
  SwingbridgeError,
} from './errors.js';
export { BROWSER_MEMBERS, DEFAULT_BROWSER_MEMBERS } from './members.js';
export type {
  BrowserArguments,
  BrowserArgumentsByMember,
  BrowserMember,
  BrowserPoint,
  BrowserReadMember,
} from './members.js';
export { ResponsesToolRunner } from './runner.js';
export type { ResponsesRunnerOptions, ResponsesRunnerTools, RunnerFunction } from './runner.js';
export type {
  BrowserConfirmContext,
  BrowserDriver,
  BrowserFileOutcome,
  BrowserObservationV1,
  BrowserOptions,
  BrowserReadConfirmContext,
  BrowserReadElement,
  BrowserReadOmission,
  BrowserReadOption,
  BrowserReadOptions,
  BrowserReadV1,
  BrowserResult,
  BrowserScopedReadV1,
  BrowserState,
  BrowserStateChange,
  BrowserTextReadV1,
  ExecutionContext,
  RunnerDiagnostic,
  RunnerDiagnosticObserver,
} from './types.js';
export type {
  BrowserCallOutput,
  FunctionOutput,
  FunctionTool,
  FunctionToolCall,
  InputFile,
  InputImage,
  InputText,
  PromptCacheBreakpoint,
  StrictFunctionTool,
} from './wire.js';
