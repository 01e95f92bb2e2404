export { BrowserToolset } from './browser.js';
export { Client } from './client/client.js';
export type { ClientResponses } from './client/client.js';
export {
  APIConnectionError,
  APIError,
  APIStatusError,
  APIConnectionTimeoutError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  UnprocessableEntityError,
} from './client/errors.js';
export type { ModelEventStream } from './client/events.js';
export type {
  ClientOptions,
  ClientRequestOptions,
  HeaderFields,
  ModelEvent,
  ModelResponse,
  QueryFields,
  ResponseCreateParams,
} from './client/types.js';
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
export type { EventOf, ParamsOf, RequestOptionsOf, ResponseOf, ResponsesClient } from './client.js';
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
export { functionTool } from './function-tool.js';
export type { FunctionToolOptions, TypedFunctionTool } from './function-tool.js';
export { BROWSER_MEMBERS, DEFAULT_BROWSER_MEMBERS } from './members.js';
export type {
  BrowserArguments,
  BrowserArgumentsByMember,
  BrowserMember,
  BrowserPoint,
  BrowserReadMember,
} from './members.js';
export { runnerFunction } from './runner-function.js';
export { ResponsesToolRunner } from './runner.js';
export type {
  McpApprovalRequest,
  ResponsesBudgetDecision,
  ResponsesBudgetSnapshot,
  ResponsesContextBudget,
  ResponsesEarlyExecution,
  ResponsesEvent,
  ResponsesItem,
  ResponsesRunnerCheckpoint,
  ResponsesRunnerLedger,
  ResponsesRunnerOptions,
  ResponsesRunnerTools,
  ResponsesRunnerTurn,
  RunnerFunction,
  SuppliedOutput,
} from './runner-types.js';
export type { StandardSchema, StandardSchemaResult } from './standard-schema.js';
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
export { UsageSummary } from './usage.js';
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
