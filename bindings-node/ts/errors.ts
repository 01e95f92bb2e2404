/**
 * The errors of this package. Each has a stable `code`, the same in every language; none has words of
 * a page, a model or a driver in it.
 */

/** The base of all errors but those for which JavaScript programs expect a `TypeError`. */
export class SwingbridgeError extends Error {
  readonly code: string;

  constructor(message: string, code: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  static {
    named(this, 'SwingbridgeError');
  }
}

/** Thrown by your driver or callback: its message, and no other error's, reaches the model (B-47). */
export class BrowserError extends SwingbridgeError {
  constructor(message = '', options?: ErrorOptions) {
    super(message, 'browser_error', options);
  }

  static {
    named(this, 'BrowserError');
  }
}

/**
 * A call that cannot be executed, or a driver whose state or result breaks its contract. There is no
 * output for the model.
 */
export class ContractError extends SwingbridgeError {
  static {
    named(this, 'ContractError');
  }
}

/**
 * A computer call or a run of a computer that stopped: what it asked for may not be done, was not
 * approved, or the screenshot breaks its contract (C-2 … C-7).
 */
export class ComputerUseError extends SwingbridgeError {
  /** The last response of a run, the client's own object; undefined outside a run. */
  readonly response: unknown;

  constructor(message: string, code: string, options: { response?: unknown } = {}) {
    super(message, code);
    this.response = options.response;
  }

  static {
    named(this, 'ComputerUseError');
  }
}

/** A computer driver cannot do what it was asked for: an unknown key, a point or a picture (D-2, D-3). */
export class DriverError extends SwingbridgeError {
  static {
    named(this, 'DriverError');
  }
}

/** The package drove its core wrongly, which is a bug in the package. */
export class DrivingError extends SwingbridgeError {
  static {
    named(this, 'DrivingError');
  }
}

/** A run that stopped. Read the ids before you try again: what they name has been done. */
export class ResponsesToolRunnerError extends SwingbridgeError {
  /** Every call that was begun, also those that failed or were refused. */
  readonly attemptedCallIds: string[];
  /** Every call that gave an output, also a refusal. */
  readonly completedCallIds: string[];
  /** No field: what is shown of the error has no words of the model in it. */
  readonly #response: unknown;

  /** `cause` is the client's error where a request failed; a driver's error is never kept. */
  constructor(
    message: string,
    attemptedCallIds: readonly string[],
    completedCallIds: readonly string[],
    options: ErrorOptions & { code?: string; response?: unknown } = {},
  ) {
    super(message, options.code ?? 'run_stopped', 'cause' in options ? options : undefined);
    this.attemptedCallIds = [...attemptedCallIds];
    this.completedCallIds = [...completedCallIds];
    this.#response = options.response;
  }

  /**
   * The client's own last response, also one that failed or is incomplete; undefined if none came. Who
   * logs the error or sends it to another thread does not log or send the response.
   */
  get response(): unknown {
    return this.#response;
  }

  static {
    named(this, 'ResponsesToolRunnerError');
  }
}

/** Options, tools, params or a use of a turn that the rules do not allow. Thrown before anything is done. */
export class ConfigurationError extends TypeError {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }

  static {
    named(this, 'ConfigurationError');
  }
}

/** The toolset or the runner is at work: one call or run at a time (B-50, R-6). */
export class BusyError extends TypeError {
  readonly code: string;

  constructor(message: string, code = 'busy') {
    super(message);
    this.code = code;
  }

  static {
    named(this, 'BusyError');
  }
}

/** The toolset or the runner was closed (B-50). */
export class ClosedError extends TypeError {
  readonly code: string;

  constructor(message: string, code = 'closed') {
    super(message);
    this.code = code;
  }

  static {
    named(this, 'ClosedError');
  }
}

export type ErrorClass = new (message: string, code: string) => Error;

/** The classes of the core's codes that have one fixed class. */
const CLASSES: readonly [ErrorClass, readonly string[]][] = [
  [BusyError, ['busy']],
  [ClosedError, ['closed']],
  [DrivingError, ['wrong_ask', 'wrong_answer_kind', 'machine_ended', 'host_failed']],
  [
    ComputerUseError,
    [
      'computer_call_invalid',
      'safety_not_approved',
      'action_not_approved',
      'action_failed',
      'screenshot_failed',
      'screenshot_invalid',
    ],
  ],
  [
    DriverError,
    [
      'keys_empty',
      'key_unknown',
      'mapping_area_invalid',
      'mapping_picture_invalid',
      'point_outside_screenshot',
      'screenshot_empty',
      'screenshot_format_unknown',
      'screenshot_damaged',
      'screenshot_too_large',
    ],
  ],
  [
    ConfigurationError,
    [
      'members_and_additional_members',
      'unknown_member',
      'member_named_twice',
      'member_not_implemented',
      'confirm_required',
      'url_policy_required',
      'confirm_reads_not_a_read',
      'confirm_reads_not_selected',
      'confirm_reads_without_confirm',
      'function_declaration',
      'function_named_twice',
      'function_named_as_browser_tool',
      'allowed_callers',
      'params_not_an_object',
      'params_not_json',
      'param_not_allowed',
      'input_invalid',
      'include_invalid',
      'tools_invalid',
      'tool_unsupported',
      'image_generation_not_stored',
      'mcp_server_label',
      'mcp_server_named_twice',
      'mcp_require_approval',
      'mcp_allowed_tools',
      'tool_choice_invalid',
      'max_steps_invalid',
      'option_invalid',
      'eager_without_stream',
      'early_execution_invalid',
      'computer_missing',
      'computer_declared_twice',
      'computer_run_other_tools',
      'ledger_invalid',
      'ledger_run_id',
      'ledger_tools_invalid',
      'mcp_url_invalid',
      'checkpoint_invalid',
      'checkpoint_field_unknown',
      'checkpoint_not_a_boundary',
      'checkpoint_receipts',
      'checkpoint_mismatch',
      'observation_missing',
      'context_budget_invalid',
      'context_budget_and_native',
      'saved_history_invalid',
      'tool_name_invalid',
      'tool_schema_invalid',
      'turn_over',
      'turn_final',
      'turn_nothing_pending',
      'supplied_outputs_malformed',
      'supplied_output_not_allowed',
      'supplied_output_twice',
      'user_text_invalid',
      'api_key_missing',
      'api_key_invalid',
      'base_url_invalid',
      'base_url_credentials',
      'account_invalid',
      'default_header_invalid',
      'root_certificate_invalid',
      'client_setup_failed',
    ],
  ],
];

const CLASS_OF = new Map(
  CLASSES.flatMap(([type, codes]) => codes.map((code) => [code, type] as const)),
);

/** The class of what a toolset throws for a code; a cancellation rethrows the signal's reason. */
export function errorClass(code: string): ErrorClass {
  return CLASS_OF.get(code) ?? ContractError;
}

/** Whether a code says that the caller wanted the work to end. */
export function isCancellation(code: string): boolean {
  return /^(cancelled_|run_cancelled$)/.test(code);
}

/** An error of the addon as one of ours; any other error as it is. */
export function fromNative(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const type = typeof code === 'string' ? CLASS_OF.get(code) : undefined;
  return type === undefined ? error : new type((error as Error).message, code as string);
}

/** Names errors by their class, without a field of its own on each of them. */
export function named(type: { prototype: Error }, name: string): void {
  Object.defineProperty(type.prototype, 'name', {
    value: name,
    configurable: true,
    writable: true,
  });
}
