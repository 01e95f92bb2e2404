/** The names of `openai/helpers/browser`. */

export { BrowserToolset } from '../browser.js';
export { BrowserError } from '../errors.js';
export { BROWSER_MEMBERS, DEFAULT_BROWSER_MEMBERS } from '../members.js';
export type { BrowserArguments, BrowserMember, BrowserReadMember } from '../members.js';
export type {
  BrowserConfirmContext,
  BrowserDriver,
  BrowserFileOutcome,
  BrowserObservationV1,
  BrowserOptions,
  BrowserReadConfirmContext,
  BrowserReadElement,
  BrowserReadOption,
  BrowserReadOptions,
  BrowserReadV1,
  BrowserResult,
  BrowserScopedReadV1,
  BrowserState,
  BrowserStateChange,
  BrowserTextReadV1,
  RunnerDiagnostic,
  RunnerDiagnosticObserver,
} from '../types.js';
