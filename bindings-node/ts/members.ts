// Written from the member table of the core. After a change of the table, write it again with
//   UPDATE=1 cargo test -p swingbridge-core --test generated

/** A point of `drag_path`, in CSS pixels of the whole viewport (B-11). */
export interface BrowserPoint {
  /** From the left edge. An integer from 0 to 2^53 - 1. */
  x: number;
  /** From the top edge. An integer from 0 to 2^53 - 1. */
  y: number;
}

/**
 * The arguments of each browser member, as drivers and callbacks get them (B-10, B-11). Every field
 * is always there; where a field may be absent for the model it is null here. What is outside the
 * limits below is refused before a driver or a callback is called (B-12).
 */
export interface BrowserArgumentsByMember {
  navigate: {
    /** The absolute address to open. */
    url: string;
    /** A tab's id from the state; null for the active tab. */
    tab_id: string | null;
  };
  read_page: {
    /** A tab's id from the state; null for the active tab. */
    tab_id: string | null;
    /** all: text and controls; interactive: controls only. */
    filter: 'all' | 'interactive';
  };
  get_page_text: {
    /** A tab's id from the state; null for the active tab. */
    tab_id: string | null;
  };
  find: {
    /** Words that describe what to look for. */
    query: string;
    /** A tab's id from the state; null for the active tab. */
    tab_id: string | null;
  };
  click: {
    /** The ref of a control from the latest read. */
    target: string;
    /** A tab's id from the state; null for the active tab. */
    tab_id: string | null;
  };
  type: {
    /** The text to enter. */
    text: string;
    /** The ref of a control from the latest read; null for the control that has the focus. */
    target: string | null;
    /** A tab's id from the state; null for the active tab. */
    tab_id: string | null;
  };
  key: {
    /** Key names that are pressed together as one chord. */
    keys: string[];
    /** A tab's id from the state; null for the active tab. */
    tab_id: string | null;
  };
  scroll: {
    direction: 'up' | 'down' | 'left' | 'right';
    /** How far, in CSS pixels. An integer from 0 to 2^53 - 1. */
    amount: number;
    /** A tab's id from the state; null for the active tab. */
    tab_id: string | null;
  };
  select_option: {
    /** The ref of a control from the latest read. */
    target: string;
    /** The values of the options to be selected. */
    values: string[];
    /** A tab's id from the state; null for the active tab. */
    tab_id: string | null;
  };
  hover: {
    /** The ref of a control from the latest read. */
    target: string;
    /** A tab's id from the state; null for the active tab. */
    tab_id: string | null;
  };
  screenshot: {
    /** A tab's id from the state; null for the active tab. */
    tab_id: string | null;
  };
  zoom: {
    /** A tab's id from the state; null for the active tab. */
    tab_id: string | null;
    /**
     * left, top, right, bottom in CSS pixels of the viewport, right of left and below top. Four
     * integers from 0 to 2^53 - 1.
     */
    region: [number, number, number, number];
  };
  new_tab: {
    /** The absolute address to open; null for a blank tab. */
    url: string | null;
  };
  /** It has none. */
  list_tabs: Record<never, never>;
  switch_tab: {
    /** A tab's id from the state. */
    tab_id: string;
  };
  close_tab: {
    /** A tab's id from the state. */
    tab_id: string;
  };
  scroll_to: {
    /** The ref of a control from the latest read. */
    target: string;
    /** A tab's id from the state; null for the active tab. */
    tab_id: string | null;
  };
  wait_for: {
    /**
     * Text that should become visible; not blank. At most 256 UTF-8 bytes, with each run of white
     * space counted as one space and none at the ends.
     */
    text: string;
    /** How long to wait at most, in milliseconds. An integer from 1 to 30000. */
    timeout_ms: number;
    /** A tab's id from the state; null for the active tab. */
    tab_id: string | null;
  };
  hover_at: {
    /** A tab's id from the state; null for the active tab. */
    tab_id: string | null;
    /** CSS pixels from the left edge of the whole viewport. An integer from 0 to 2^53 - 1. */
    x: number;
    /** CSS pixels from the top edge of the whole viewport. An integer from 0 to 2^53 - 1. */
    y: number;
  };
  set_checked: {
    /** A tab's id from the state; null for the active tab. */
    tab_id: string | null;
    /** The ref of a control from the latest read. */
    target: string;
    /** The state it should end in. */
    checked: boolean;
  };
  click_at: {
    /** A tab's id from the state; null for the active tab. */
    tab_id: string | null;
    /** CSS pixels from the left edge of the whole viewport. An integer from 0 to 2^53 - 1. */
    x: number;
    /** CSS pixels from the top edge of the whole viewport. An integer from 0 to 2^53 - 1. */
    y: number;
    button: 'left' | 'right' | 'middle';
    click_count: 1 | 2 | 3;
    /** Modifiers held during the action; empty for none. Each at most once. */
    keys: ('Control' | 'Alt' | 'Meta' | 'Shift')[];
  };
  drag_path: {
    /** A tab's id from the state; null for the active tab. */
    tab_id: string | null;
    /**
     * The points to pass, in CSS pixels of the whole viewport; pressed at the first, released at
     * the last. 2 to 100 points.
     */
    path: BrowserPoint[];
    /** Modifiers held during the action; empty for none. Each at most once. */
    keys: ('Control' | 'Alt' | 'Meta' | 'Shift')[];
  };
  hold_keys: {
    /** A tab's id from the state; null for the active tab. */
    tab_id: string | null;
    /**
     * Names of the keys that are held together. 1 to 8 different names, none empty, each at most 64
     * UTF-8 bytes.
     */
    keys: string[];
    /** How long the keys are held, in milliseconds. An integer from 1 to 3000. */
    duration_ms: number;
  };
  read_page_scoped: {
    /** A tab's id from the state; null for the active tab. */
    tab_id: string | null;
    /**
     * The ref of a scope from the latest scoped read; null to discover the scopes. Not empty, at
     * most 256 UTF-8 bytes.
     */
    root: string | null;
    /** How many levels of the document below the root to read. An integer from 1 to 32. */
    depth: number;
    /** all: text and controls; interactive: controls only. */
    filter: 'all' | 'interactive';
  };
  read_diagnostics: {
    /** A tab's id from the state; null for the active tab. */
    tab_id: string | null;
    source: 'console' | 'network';
    /** The largest number of records to report. An integer from 1 to 100. */
    limit: number;
  };
  run_script: {
    /** A tab's id from the state; null for the active tab. */
    tab_id: string | null;
    /** The JavaScript to run. Not empty, of any length. */
    source: string;
    /** How long to wait at most, in milliseconds. An integer from 1 to 30000. */
    timeout_ms: number;
  };
  upload_file: {
    /**
     * The id of a file grant that the application issued; not a path and not a URL. Not empty, at
     * most 256 UTF-8 bytes.
     */
    grant_id: string;
  };
  download_file: {
    /**
     * The id of a file grant that the application issued; not a path and not a URL. Not empty, at
     * most 256 UTF-8 bytes.
     */
    grant_id: string;
  };
}

/** The name of a browser member, and of the driver method for it (B-1). */
export type BrowserMember = keyof BrowserArgumentsByMember;

/** The arguments of one member (B-53). */
export type BrowserArguments<M extends BrowserMember> = BrowserArgumentsByMember[M];

/** A member that `confirmReads` may name (B-22). */
export type BrowserReadMember =
  | 'read_page'
  | 'get_page_text'
  | 'find'
  | 'screenshot'
  | 'zoom'
  | 'list_tabs'
  | 'wait_for'
  | 'read_page_scoped';

/** All members, in the order in which their tools are listed (B-1). */
export const BROWSER_MEMBERS: readonly BrowserMember[] = Object.freeze([
  'navigate',
  'read_page',
  'get_page_text',
  'find',
  'click',
  'type',
  'key',
  'scroll',
  'select_option',
  'hover',
  'screenshot',
  'zoom',
  'new_tab',
  'list_tabs',
  'switch_tab',
  'close_tab',
  'scroll_to',
  'wait_for',
  'hover_at',
  'set_checked',
  'click_at',
  'drag_path',
  'hold_keys',
  'read_page_scoped',
  'read_diagnostics',
  'run_script',
  'upload_file',
  'download_file',
] as const);

/** The members that a toolset exposes without being asked, if the driver has them (B-1, B-2). */
export const DEFAULT_BROWSER_MEMBERS: readonly BrowserMember[] = Object.freeze([
  'navigate',
  'read_page',
  'get_page_text',
  'find',
  'click',
  'type',
  'key',
  'scroll',
  'select_option',
  'hover',
  'screenshot',
  'zoom',
  'new_tab',
  'list_tabs',
  'switch_tab',
  'close_tab',
  'scroll_to',
  'wait_for',
] as const);
