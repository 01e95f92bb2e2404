/** The types of the browser helper: what drivers report, what callbacks get (B-53). */

import type { BrowserArguments, BrowserMember, BrowserReadMember } from './members.js';
import type { InputImage } from './wire.js';

/** The last argument of every driver method and callback: the caller's own signal, or undefined. */
export interface ExecutionContext {
  signal: AbortSignal | undefined;
}

/** The open tabs. Exactly one is active, if there are any (B-30). */
export interface BrowserState {
  tabs: {
    /** Stable and unique. At most 128 UTF-8 bytes with an observation. */
    id: string;
    title: string;
    /** Reported to the model as its origin only (B-32). */
    url: string;
    active: boolean;
  }[];
  observation?: BrowserObservationV1 | undefined;
}

/** What happened since the driver began (B-33). Numbers count from 1 without gaps. */
export interface BrowserObservationV1 {
  version: 1;
  /** The number of the newest change: `dropped_changes` and the number of `changes`. */
  sequence: number;
  dropped_changes: number;
  title_truncated: boolean;
  changes: BrowserStateChange[];
}

export type BrowserStateChange =
  | {
      type: 'tab_opened' | 'tab_closed' | 'tab_switched' | 'navigation';
      sequence: number;
      tab_id: string;
    }
  | {
      type: 'navigation_refused';
      sequence: number;
      tab_id: string | null;
      reason: 'policy' | 'unsupported';
    }
  | {
      type: 'dialog_dismissed';
      sequence: number;
      tab_id: string;
      kind: 'alert' | 'confirm' | 'prompt' | 'beforeunload' | 'other';
    }
  | {
      type: 'download';
      sequence: number;
      tab_id: string | null;
      status: 'blocked' | 'started' | 'completed' | 'failed';
    };

/** An option of a control (B-41). */
export interface BrowserReadOption {
  /** Not empty, at most 256 UTF-8 bytes. */
  label: string;
  /** At most 512 UTF-8 bytes. */
  value: string;
  /** Only reported for a listbox. */
  selected?: boolean | undefined;
}

/** A control of a page (B-41). */
export interface BrowserReadElement {
  /** Unique within the report, not empty, at most 256 UTF-8 bytes. */
  ref: string;
  role: 'button' | 'textbox' | 'combobox' | 'checkbox' | 'radio' | 'slider' | 'listbox';
  /** Not empty, at most 256 UTF-8 bytes. */
  label: string;
  /** At most 512 UTF-8 bytes. */
  value?: string | undefined;
  options?: BrowserReadOption[] | undefined;
  /** Only reported for a checkbox or a radio button. */
  checked?: boolean | undefined;
}

/** What a report leaves out, each code at most once. */
export type BrowserReadOmission =
  | 'report_limit'
  | 'text_limit'
  | 'target_limit'
  | 'work_limit'
  | 'frame_limit'
  | 'unsupported_root'
  | 'unsupported_control'
  | 'remote_action'
  | 'private'
  | 'value'
  | 'name_limit';

/** A structured read of a page (B-41). */
export interface BrowserReadV1 {
  version: 1;
  text: string;
  elements: BrowserReadElement[];
  omitted: BrowserReadOmission[];
}

/** A read without controls: of a page's text, or of diagnostics (B-43). */
export interface BrowserTextReadV1 extends BrowserReadV1 {
  elements: never[];
}

/** A read of a section, with the sections below it (B-42). */
export interface BrowserScopedReadV1 extends BrowserReadV1 {
  /** Refs differ from each other and from those of the elements. */
  scopes: { ref: string; label: string }[];
}

/** What became of a file transfer (B-45). */
export type BrowserFileOutcome = {
  version: 1;
  cleanup: 'not_started' | 'pending' | 'completed';
} & (
  | { status: 'completed'; effect: 'completed' }
  | { status: 'refused'; effect: 'none' }
  | { status: 'unknown'; effect: 'unknown' }
  | { status: 'interrupted'; effect: 'none' | 'unknown' }
);

/** What the driver's method for a member returns (B-40 … B-45). */
export type BrowserResult<M extends BrowserMember> = M extends 'screenshot' | 'zoom'
  ? InputImage
  : M extends 'list_tabs'
    ? BrowserState
    : M extends 'read_page_scoped'
      ? BrowserScopedReadV1
      : M extends 'read_diagnostics'
        ? BrowserTextReadV1
        : M extends 'run_script'
          ? string
          : M extends 'upload_file' | 'download_file'
            ? BrowserFileOutcome
            : M extends 'get_page_text'
              ? string | BrowserTextReadV1 | BrowserReadV1 | null | void
              : M extends 'read_page' | 'find'
                ? string | BrowserReadV1 | null | void
                : string | null | void;

/**
 * Your browser. Implement `state` and the members that the model may use; each may be async. A
 * method that fails should throw: a `BrowserError`'s message reaches the model, nothing else does.
 */
export type BrowserDriver = {
  /** Reports the open tabs. Called before and after each action, also after one that failed. */
  state: (context: ExecutionContext) => BrowserState | Promise<BrowserState>;
} & {
  [M in Exclude<BrowserMember, 'list_tabs'>]?: (
    args: BrowserArguments<M>,
    context: ExecutionContext,
  ) => BrowserResult<M> | Promise<BrowserResult<M>>;
};

/** The action that waits for consent (B-20). Detached: editing it changes nothing. */
export type BrowserConfirmContext = {
  [M in BrowserMember]: {
    readonly member: M;
    readonly arguments: Readonly<BrowserArguments<M>> & Readonly<Record<string, unknown>>;
    /** What the browser looked like before. It may look different by now. */
    readonly state: BrowserState;
    readonly call_id: string;
  };
}[BrowserMember];

/** A read that waits for consent before anything is read (B-22). */
export type BrowserReadConfirmContext = {
  [M in BrowserReadMember]: {
    readonly phase: 'before_read';
    readonly member: M;
    readonly arguments: Readonly<BrowserArguments<M>> & Readonly<Record<string, unknown>>;
    readonly call_id: string;
    readonly state: null;
  };
}[BrowserReadMember];

/**
 * Options of a toolset. The lists are copied at construction; the callbacks are looked up at each
 * call, so assigning another one takes effect with the next call.
 */
export interface BrowserOptions {
  /** Exactly these members. Not together with `additionalMembers`. */
  members?: readonly BrowserMember[] | undefined;
  /** The default members that the driver has, and these. */
  additionalMembers?: readonly BrowserMember[] | undefined;
  /** Asked before each change, and before `read_diagnostics`. Only exactly `true` approves (B-20). */
  confirm?:
    | ((context: BrowserConfirmContext, execution: ExecutionContext) => boolean | Promise<boolean>)
    | undefined;
  /** Asked before `confirm` where there is an address to open. Only exactly `true` approves (B-21). */
  urlPolicy?:
    | ((
        context: BrowserConfirmContext,
        url: string,
        execution: ExecutionContext,
      ) => boolean | Promise<boolean>)
    | undefined;
  /** Sees what happens in browser calls, but for those of a run that has an observer of its own. */
  onDiagnostic?: RunnerDiagnosticObserver | undefined;
  confirmReads?: undefined;
}

/** Options with reads that need consent before anything is read (B-22). */
export interface BrowserReadOptions extends Omit<BrowserOptions, 'confirm' | 'confirmReads'> {
  confirmReads: readonly BrowserReadMember[];
  confirm: (
    context: BrowserConfirmContext | BrowserReadConfirmContext,
    execution: ExecutionContext,
  ) => boolean | Promise<boolean>;
}

/** One record of what happened, without content (B-52, R-60). */
export interface RunnerDiagnostic {
  api: 'responses' | 'browser' | 'computer';
  stage: 'run' | 'request' | 'arguments' | 'approval' | 'action' | 'output';
  reason:
    | 'started'
    | 'completed'
    | 'refused'
    | 'cancelled'
    | 'invalid_input'
    | 'invalid_output'
    | 'api_failed'
    | 'driver_failed'
    | 'policy_failed'
    | 'step_limit'
    | 'busy'
    | 'closed';
  call_id: string | null;
  member: string | null;
  /** Milliseconds with microseconds. */
  duration_ms: number;
  usage: { input_tokens: number; output_tokens: number; total_tokens: number } | null;
}

/** Synchronous. What it throws or returns changes nothing. */
export type RunnerDiagnosticObserver = (event: Readonly<RunnerDiagnostic>) => void;
