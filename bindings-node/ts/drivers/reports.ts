/**
 * Reports of the page script, checked before they are handed on (B-41).
 *
 * A report that breaks the contract would stop the whole run. Script and page share one world, so a
 * hostile page can spoil a report; it must be able to spoil only the reading of itself.
 */

import { BrowserError } from '../errors.js';
import type {
  BrowserReadElement,
  BrowserReadOmission,
  BrowserReadOption,
  BrowserReadV1,
} from '../types.js';

const LABEL_BYTES = 256;
const VALUE_BYTES = 512;
const ROLES: readonly unknown[] = [
  'button',
  'textbox',
  'combobox',
  'checkbox',
  'radio',
  'slider',
  'listbox',
] satisfies BrowserReadElement['role'][];
const CODES: readonly BrowserReadOmission[] = [
  'report_limit',
  'text_limit',
  'target_limit',
  'work_limit',
  'frame_limit',
  'unsupported_root',
  'unsupported_control',
  'remote_action',
  'private',
  'value',
  'name_limit',
];
const REF = /^g\d{1,15}-e\d{1,15}$/;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

export type Answer = Record<string, unknown>;

/** The object that an operation of the page script answered with. Throws a BrowserError otherwise. */
export function parseAnswer(text: unknown): Answer {
  let answer: unknown;
  try {
    answer = typeof text === 'string' ? JSON.parse(text) : null;
  } catch {
    answer = null;
  }
  return object(answer);
}

/** A BrowserReadV1 with known fields only. Throws a BrowserError if the report breaks the contract. */
export function readReport(answer: Answer): BrowserReadV1 {
  const omitted = array(answer['omitted']);
  const elements = array(answer['elements']).map(readElement);
  if (new Set(elements.map(({ ref }) => ref)).size !== elements.length) throw unusable();
  return {
    version: 1,
    text: string(answer['text']),
    elements,
    omitted: CODES.filter((code) => omitted.includes(code)),
  };
}

function readElement(source: unknown): BrowserReadElement {
  const element = object(source);
  const { ref, role } = element;
  if (typeof ref !== 'string' || !REF.test(ref) || !ROLES.includes(role)) throw unusable();
  const reported: BrowserReadElement = {
    ref,
    role: role as BrowserReadElement['role'],
    label: label(element['label']),
  };
  if ('value' in element) reported.value = string(element['value'], VALUE_BYTES);
  if ('options' in element) reported.options = array(element['options']).map(readOption);
  if ('checked' in element) reported.checked = flag(element['checked']);
  return reported;
}

function readOption(source: unknown): BrowserReadOption {
  const option = object(source);
  const reported: BrowserReadOption = {
    label: label(option['label']),
    value: string(option['value'], VALUE_BYTES),
  };
  if ('selected' in option) reported.selected = flag(option['selected']);
  return reported;
}

function object(source: unknown): Answer {
  if (typeof source !== 'object' || source === null || Array.isArray(source)) throw unusable();
  return source as Answer;
}

function array(source: unknown): unknown[] {
  if (!Array.isArray(source)) throw unusable();
  return source;
}

function flag(source: unknown): boolean {
  if (typeof source !== 'boolean') throw unusable();
  return source;
}

function label(source: unknown): string {
  const text = string(source, LABEL_BYTES);
  if (text === '') throw unusable();
  return text;
}

function string(source: unknown, limit = Infinity): string {
  if (typeof source !== 'string' || LONE_SURROGATE.test(source)) throw unusable();
  if (Buffer.byteLength(source) > limit) throw unusable();
  return source;
}

function unusable(): BrowserError {
  return new BrowserError('The page could not be read: it interferes with reading.');
}
