/**
 * The shapes of the computer helper: what the model asks for, what drivers and callbacks get (C-1 … C-8).
 * They are structural twins of the types of the `openai` package, so that values of either kind fit the
 * other.
 */

import type { ExecutionContext, RunnerDiagnosticObserver } from './types.js';

/**
 * One action. Coordinates are pixels of the screenshot that the model saw last, from its top left
 * corner. `keys` of a mouse action are held while it is done.
 */
export type ComputerAction =
  | ComputerAction.Click
  | ComputerAction.DoubleClick
  | ComputerAction.Drag
  | ComputerAction.Keypress
  | ComputerAction.Move
  | ComputerAction.Screenshot
  | ComputerAction.Scroll
  | ComputerAction.Type
  | ComputerAction.Wait;

export declare namespace ComputerAction {
  interface Click {
    type: 'click';
    button: 'left' | 'right' | 'wheel' | 'back' | 'forward';
    x: number;
    y: number;
    keys?: string[] | null;
  }

  interface DoubleClick {
    type: 'double_click';
    x: number;
    y: number;
    keys: string[] | null;
  }

  interface Drag {
    type: 'drag';
    /** From the first point, where the button goes down, to the last one. */
    path: Drag.Path[];
    keys?: string[] | null;
  }

  namespace Drag {
    interface Path {
      x: number;
      y: number;
    }
  }

  /** A chord: all keys are held together. */
  interface Keypress {
    type: 'keypress';
    keys: string[];
  }

  interface Move {
    type: 'move';
    x: number;
    y: number;
    keys?: string[] | null;
  }

  interface Screenshot {
    type: 'screenshot';
  }

  interface Scroll {
    type: 'scroll';
    x: number;
    y: number;
    /** Pixels; positive is right and down. */
    scroll_x: number;
    scroll_y: number;
    keys?: string[] | null;
  }

  interface Type {
    type: 'type';
    text: string;
  }

  interface Wait {
    type: 'wait';
  }
}

/** A warning of the service that a person has to acknowledge before the call may run. */
export interface ComputerSafetyCheck {
  id: string;
  code?: string | null;
  message?: string | null;
}

/** A call of the model as callbacks see it: one action in the older form, else a list of them. */
export interface ComputerCall {
  type: 'computer_call';
  id: string;
  call_id: string;
  status: 'in_progress' | 'completed' | 'incomplete';
  pending_safety_checks: ComputerSafetyCheck[];
  action?: ComputerAction;
  actions?: ComputerAction[];
}

/** A call to execute. With `actions` the list of safety checks may be absent (C-8). */
export type ComputerCallInput =
  | ComputerCall
  | (Omit<ComputerCall, 'action' | 'actions' | 'pending_safety_checks'> & {
      action?: never;
      actions: ComputerAction[];
      pending_safety_checks?: ComputerSafetyCheck[] | undefined;
    });

/**
 * A picture of the screen: an address (a data URL as well), a file id, or both. At least one of them, and
 * none of them blank (C-6). No local file is read.
 */
export interface ComputerScreenshot {
  type: 'computer_screenshot';
  image_url?: string;
  file_id?: string;
}

/** The output item of a computer call (C-6). */
export interface ComputerCallOutput {
  type: 'computer_call_output';
  call_id: string;
  output: ComputerScreenshot;
  /** Every check that was pending and has been approved; `execute` leaves it out if there was none. */
  acknowledged_safety_checks?: ComputerSafetyCheck[];
}

type Perform<Action> = (action: Action, context: ExecutionContext) => void | Promise<void>;

/**
 * Your computer. All nine methods are needed (C-1). Each gets its own copy of the action; it must throw
 * if it cannot do what is asked. Actions are done once each, in order, and never tried again (C-5).
 */
export interface ComputerDriver {
  click: Perform<ComputerAction.Click>;
  double_click: Perform<ComputerAction.DoubleClick>;
  drag: Perform<ComputerAction.Drag>;
  keypress: Perform<ComputerAction.Keypress>;
  move: Perform<ComputerAction.Move>;
  scroll: Perform<ComputerAction.Scroll>;
  type: Perform<ComputerAction.Type>;
  /** Lets the screen settle. Takes a bounded time of its own choice. */
  wait: Perform<ComputerAction.Wait>;
  /** Pictures the screen. Called once, after all actions of a call. */
  screenshot: (context: ExecutionContext) => ComputerScreenshot | Promise<ComputerScreenshot>;
}

/** Consent and cancellation for computer calls. */
export interface ComputerExecutionOptions {
  /**
   * Asked once for a call with pending safety checks, before anything else. Only exactly `true` approves,
   * and approves all of them; without it such a call stops (C-4).
   */
  approveSafetyChecks?:
    ((call: ComputerCall, context: ExecutionContext) => boolean | Promise<boolean>) | undefined;
  /**
   * Asked immediately before each action, the final screenshot included. Only exactly `true` approves
   * (C-4). It approves the action as it stands, not what the screen looks like by then.
   */
  beforeAction?:
    | ((
        action: ComputerAction,
        call: ComputerCall,
        context: ExecutionContext,
      ) => boolean | Promise<boolean>)
    | undefined;
  /** Ends the work before its next action. An action that has begun is waited for, never repeated. */
  signal?: AbortSignal | undefined;
  /** Sees what happens, without content (B-52). */
  onDiagnostic?: RunnerDiagnosticObserver | undefined;
}

/** Options of the computer-only loop (C-7). */
export interface ComputerRunOptions<RequestOptions = object> extends ComputerExecutionOptions {
  /** The most requests; 20 if it is not given. What the last one asks for is not done. */
  maxSteps?: number | undefined;
  /** Given to `create` with each request; without a `body`. Its `signal` counts if there is no other. */
  requestOptions?: RequestOptions | undefined;
}
