/**
 * The part of Playwright that the driver uses. Written down here instead of imported, so that the
 * package's types do not need Playwright; its own classes fit.
 */

export interface Limit {
  timeout?: number;
}

export interface PlaywrightHandle {
  asElement(): PlaywrightElement | null;
  jsonValue(): Promise<unknown>;
}

export interface PlaywrightElement extends PlaywrightHandle {
  click(options?: PointerOptions): Promise<void>;
  hover(options?: PointerOptions): Promise<void>;
  fill(value: string, options?: Limit): Promise<void>;
  type(text: string, options?: Limit): Promise<void>;
  press(key: string, options?: Limit): Promise<void>;
  selectOption(values: { index: number }[], options?: Limit): Promise<string[]>;
  scrollIntoViewIfNeeded(options?: Limit): Promise<void>;
}

export interface PointerOptions extends Limit {
  button?: 'left' | 'right' | 'middle';
  clickCount?: number;
  force?: boolean;
  modifiers?: ('Alt' | 'Control' | 'Meta' | 'Shift')[];
  position?: { x: number; y: number };
}

export interface PlaywrightFrame {
  parentFrame(): object | null;
  url(): string;
  waitForFunction(expression: string, arg?: undefined, options?: Limit): Promise<PlaywrightHandle>;
  waitForFunction<A>(
    pageFunction: (arg: A) => unknown,
    arg: A,
    options?: Limit,
  ): Promise<PlaywrightHandle>;
}

export interface PlaywrightDialog {
  type(): string;
  dismiss(): Promise<void>;
}

export interface PlaywrightDownload {
  cancel(): Promise<void>;
}

export interface PlaywrightPage extends PlaywrightEmitter {
  bringToFront(): Promise<void>;
  close(): Promise<void>;
  context(): PlaywrightContext;
  frames(): PlaywrightFrame[];
  goto(url: string, options?: Limit & { waitUntil?: 'commit' }): Promise<unknown>;
  isClosed(): boolean;
  mainFrame(): PlaywrightFrame;
  screenshot(options?: ScreenshotOptions): Promise<Uint8Array>;
  url(): string;
  waitForLoadState(state: 'domcontentloaded', options?: Limit): Promise<void>;
}

export interface ScreenshotOptions extends Limit {
  clip?: { x: number; y: number; width: number; height: number };
  scale?: 'css';
  type?: 'png';
}

export interface PlaywrightContext extends PlaywrightEmitter {
  newPage(): Promise<PlaywrightPage>;
  pages(): PlaywrightPage[];
}

/** Only `listen` calls these: overloads for each event would have to match Playwright's own. */
export interface PlaywrightEmitter {
  on(event: never, listener: never): unknown;
  removeListener(event: never, listener: never): unknown;
}

/** What comes with each event. */
export interface PlaywrightEvents {
  page: PlaywrightPage;
  popup: PlaywrightPage;
  framenavigated: PlaywrightFrame;
  dialog: PlaywrightDialog;
  download: PlaywrightDownload;
  crash: PlaywrightPage;
  close: PlaywrightPage;
}

/** Adds a listener; the result removes it. */
export function listen<E extends keyof PlaywrightEvents>(
  emitter: PlaywrightEmitter,
  event: E,
  listener: (argument: PlaywrightEvents[E]) => void,
): () => void {
  emitter.on(event as never, listener as never);
  return () => void emitter.removeListener(event as never, listener as never);
}

/** Chromium's own protocol, which other browsers do not have. */
export interface DevtoolsContext {
  newCDPSession(page: PlaywrightPage): Promise<DevtoolsSession>;
}

export interface DevtoolsSession {
  send(method: string): Promise<unknown>;
  detach(): Promise<void>;
}
