/**
 * The part of Playwright that the computer driver uses. Written down here instead of imported, so that
 * the package's types do not need Playwright; its own classes fit.
 */

export interface PlaywrightComputerPage {
  readonly mouse: PlaywrightMouse;
  readonly keyboard: PlaywrightKeyboard;
  context(): object;
  evaluate(script: string): Promise<unknown>;
  goBack(options?: NavigationOptions): Promise<unknown>;
  goForward(options?: NavigationOptions): Promise<unknown>;
  screenshot(options?: ComputerScreenshotOptions): Promise<Uint8Array>;
  viewportSize(): { width: number; height: number } | null;
  waitForLoadState(state: 'domcontentloaded', options?: { timeout?: number }): Promise<void>;
}

export interface PlaywrightMouse {
  move(x: number, y: number, options?: { steps?: number }): Promise<void>;
  down(): Promise<void>;
  up(): Promise<void>;
  click(x: number, y: number, options?: ClickOptions): Promise<void>;
  wheel(across: number, down: number): Promise<void>;
}

export interface PlaywrightKeyboard {
  down(key: string): Promise<void>;
  up(key: string): Promise<void>;
  insertText(text: string): Promise<void>;
  type(text: string): Promise<void>;
}

export interface ClickOptions {
  button?: 'left' | 'right' | 'middle';
  clickCount?: number;
}

export interface NavigationOptions {
  timeout?: number;
  waitUntil?: 'domcontentloaded';
}

export interface ComputerScreenshotOptions {
  caret?: 'initial';
  clip?: { x: number; y: number; width: number; height: number };
  scale?: 'css' | 'device';
  timeout?: number;
  type?: 'png';
}
