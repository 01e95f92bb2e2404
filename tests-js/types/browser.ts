/** Code that must type-check, and code that must not (B-53). Never run: `tsc -p tests-js`. */
import {
  BROWSER_MEMBERS,
  BrowserError,
  BrowserToolset,
  DEFAULT_BROWSER_MEMBERS,
  type BrowserArguments,
  type BrowserConfirmContext,
  type BrowserDriver,
  type BrowserFileOutcome,
  type BrowserMember,
  type BrowserReadConfirmContext,
  type BrowserReadV1,
  type BrowserResult,
  type BrowserState,
  type BrowserStateChange,
  type ExecutionContext,
} from 'swingbridge';

/** Whether two types are the same. */
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(..._proof: Same<A, B> extends true ? [] : [never]): void => undefined;

const state: BrowserState = { tabs: [{ id: '1', title: 'T', url: 'about:blank', active: true }] };
const read: BrowserReadV1 = {
  version: 1,
  text: 't',
  elements: [{ ref: 'e1', role: 'button', label: 'Go', value: undefined }],
  omitted: ['private'],
};

// --- Arguments and results by member ---

same<BrowserArguments<'click'>, { target: string; tab_id: string | null }>();
same<BrowserArguments<'zoom'>['region'], [number, number, number, number]>();
same<BrowserArguments<'click_at'>['click_count'], 1 | 2 | 3>();
same<keyof BrowserArguments<'list_tabs'>, never>();
same<BrowserResult<'run_script'>, string>();
same<BrowserResult<'read_diagnostics'>['elements'], never[]>();
same<BrowserResult<'list_tabs'>, BrowserState>();
const member: BrowserMember = 'click';
BROWSER_MEMBERS.includes(member);
DEFAULT_BROWSER_MEMBERS.includes(member);
// @ts-expect-error there is no such member
const unknown: BrowserMember = 'fly';
// @ts-expect-error the lists cannot be changed
BROWSER_MEMBERS.push('click');

// --- Drivers: objects and classes, partial, synchronous and asynchronous ---

const partial: BrowserDriver = {
  state: () => state,
  click: async ({ target, tab_id }, { signal }) => {
    same<typeof target, string>();
    same<typeof tab_id, string | null>();
    same<typeof signal, AbortSignal | undefined>();
  },
  read_page: () => read,
  get_page_text: () => null,
  screenshot: async () => ({ type: 'input_image', image_url: 'data:,' }),
  upload_file: () => ({ version: 1, status: 'refused', effect: 'none', cleanup: 'not_started' }),
};
class Page {
  readonly name = 'page';
  async state(): Promise<BrowserState> {
    return state;
  }
  type({ text }: BrowserArguments<'type'>, _context: ExecutionContext): string {
    return text;
  }
  other(): void {}
}
new BrowserToolset(partial);
new BrowserToolset(new Page());
// @ts-expect-error a driver needs state
new BrowserToolset({ click: () => undefined });
// @ts-expect-error a state is an object with tabs
new BrowserToolset({ state: () => [] });
// @ts-expect-error an action returns text or nothing
new BrowserToolset({ state: () => state, click: () => 5 });
// @ts-expect-error a script returns text
new BrowserToolset({ state: () => state, run_script: () => null });
// @ts-expect-error a scoped read has scopes
new BrowserToolset({ state: () => state, read_page_scoped: () => read });
// @ts-expect-error diagnostics have no elements
new BrowserToolset({ state: () => state, read_diagnostics: () => read });
// @ts-expect-error an image needs its type
new BrowserToolset({ state: () => state, screenshot: () => ({ image_url: 'x' }) });
// @ts-expect-error the arguments of click have no url
new BrowserToolset({ state: () => state, click: ({ url }) => url });
const kept = { version: 1, cleanup: 'pending' } as const;
// @ts-expect-error effect and status belong together
const outcome: BrowserFileOutcome = { ...kept, status: 'refused', effect: 'completed' };
const dismissed = { type: 'dialog_dismissed', sequence: 1, tab_id: '1' } as const;
// @ts-expect-error a dialog has a kind of its own
const change: BrowserStateChange = { ...dismissed, kind: 'popup' };
// @ts-expect-error a role of its own
read.elements.push({ ref: 'e', role: 'link', label: 'l' });

// --- Options and callbacks ---

new BrowserToolset(partial, {
  members: ['click', 'navigate'],
  confirm: (context, { signal }) => {
    same<typeof context, BrowserConfirmContext>();
    same<typeof signal, AbortSignal | undefined>();
    if (context.member === 'click') same<typeof context.arguments.target, string>();
    return context.state.tabs.length > 0;
  },
  urlPolicy: async (_context, url, { signal }) => !signal?.aborted && url.startsWith('https:'),
  onDiagnostic: ({ stage, duration_ms }) => void [stage, duration_ms.toFixed()],
});
new BrowserToolset(partial, {
  confirmReads: ['read_page'],
  confirm: (context) => {
    same<typeof context, BrowserConfirmContext | BrowserReadConfirmContext>();
    if ('phase' in context) same<typeof context.state, null>();
    return true;
  },
});
new BrowserToolset(partial, { additionalMembers: ['run_script'], confirm: () => true });
// @ts-expect-error reads need confirm
new BrowserToolset(partial, { confirmReads: ['read_page'] });
// @ts-expect-error click is no read
new BrowserToolset(partial, { confirmReads: ['click'], confirm: () => true });
// @ts-expect-error an answer is a boolean
new BrowserToolset(partial, { confirm: () => 'yes' });
// @ts-expect-error a list, not a text
new BrowserToolset(partial, { members: 'click' });
new BrowserToolset(partial, {
  confirm: (context) => {
    // @ts-expect-error the member cannot be changed
    context.member = 'click';
    return true;
  },
});

// --- Calls and outputs ---

const toolset = new BrowserToolset(partial);
const call = {
  type: 'function_call',
  name: 'browser_click',
  call_id: 'c',
  arguments: '{}',
} as const;
const output = await toolset.execute(call, { signal: new AbortController().signal });
same<typeof output.type, 'function_call_output'>();
same<(typeof output.output)[0]['text'], string>();
const [text, image] = output.output;
same<typeof text.type, 'input_text'>();
same<NonNullable<typeof image>['type'], 'input_image'>();
const { ok } = await toolset.executeWithStatus(call, undefined, true);
same<typeof ok, boolean>();
same<ReturnType<typeof toolset.close>['status'], 'closed' | 'draining'>();
same<ReturnType<typeof toolset.tools>[number]['strict'], true>();
// @ts-expect-error a call needs its id
void toolset.execute({ type: 'function_call', name: 'browser_click', arguments: '{}' });
// @ts-expect-error a signal, not a controller
void toolset.execute(call, { signal: new AbortController() });

const error = new BrowserError('told');
same<typeof error.code, string>();
