/** Code that must type-check, and code that must not, around a computer. Never run: `tsc -p tests-js`. */
import {
  ComputerToolset,
  ComputerUseError,
  ResponsesToolRunner,
  type ComputerAction,
  type ComputerCall,
  type ComputerCallInput,
  type ComputerCallOutput,
  type ComputerDriver,
  type ComputerExecutionOptions,
  type ComputerScreenshot,
  type ResponsesClient,
} from 'swingbridge';
import { PlaywrightComputerDriver } from 'swingbridge/drivers/playwright-computer';
import { chord, CoordinateMapping, dataUrl, fit, Picture } from 'swingbridge/drivers/screen';
import type { Page as CorePage } from 'playwright-core';

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(..._proof: Same<A, B> extends true ? [] : [never]): void => undefined;

const driver: ComputerDriver = {
  click: ({ x, y, button, keys }, { signal }) => {
    same<typeof x, number>();
    same<typeof y, number>();
    same<typeof button, 'left' | 'right' | 'wheel' | 'back' | 'forward'>();
    same<typeof keys, string[] | null | undefined>();
    same<typeof signal, AbortSignal | undefined>();
  },
  double_click: async ({ keys }) => same<typeof keys, string[] | null>(),
  drag: ({ path }) => void path.map((point) => point.x + point.y),
  keypress: ({ keys }) => same<typeof keys, string[]>(),
  move: async () => undefined,
  scroll: ({ scroll_x, scroll_y }) => void (scroll_x + scroll_y),
  type: ({ text }) => same<typeof text, string>(),
  // Fewer parameters are fine.
  wait: () => undefined,
  screenshot: async ({ signal }) => {
    same<typeof signal, AbortSignal | undefined>();
    return { type: 'computer_screenshot', image_url: 'data:,' };
  },
};
const toolset = new ComputerToolset(driver);

/** A class with fewer types written down. */
class Screen implements ComputerDriver {
  click(action: ComputerAction.Click): void {
    void action.button;
  }
  double_click(): void {}
  drag(): void {}
  keypress(): void {}
  move(): void {}
  scroll(): void {}
  type(): void {}
  wait(): void {}
  screenshot(): ComputerScreenshot {
    return { type: 'computer_screenshot', file_id: 'file_1' };
  }
}
new ComputerToolset(new Screen());

const { wait: _wait, ...incomplete } = driver;
// @ts-expect-error one of the nine methods is missing
new ComputerToolset(incomplete);
// @ts-expect-error a screenshot has a type
const picture: ComputerScreenshot = { image_url: 'data:,' };
// @ts-expect-error a screenshot of a browser is none
new ComputerToolset({ ...driver, screenshot: () => ({ type: 'input_image' as const }) });
// @ts-expect-error a screenshot has to be given back
new ComputerToolset({ ...driver, screenshot: () => undefined });

const modern: ComputerCallInput = {
  type: 'computer_call',
  id: 'cu_1',
  call_id: 'call_1',
  status: 'completed',
  actions: [{ type: 'click', x: 1, y: 2, button: 'left' }, { type: 'wait' }],
};
// @ts-expect-error the older form needs its list of checks
const older: ComputerCallInput = { ...modern, actions: undefined, action: { type: 'wait' } };
// @ts-expect-error no such action
const unknown: ComputerCallInput = { ...modern, actions: [{ type: 'fly' }] };
const fields: ComputerAction = { type: 'scroll', x: 1, y: 2, scroll_x: 0, scroll_y: 3 };
// @ts-expect-error a scroll needs distances
const bad: ComputerAction = { type: 'scroll', x: 1, y: 2 };

const consent: ComputerExecutionOptions = {
  approveSafetyChecks: async (call, { signal }) => {
    same<typeof call, ComputerCall>();
    same<typeof signal, AbortSignal | undefined>();
    return call.pending_safety_checks.every(({ code }) => code === 'known');
  },
  beforeAction: (action, call) => {
    same<typeof call, ComputerCall>();
    // Each kind has its own fields.
    return action.type === 'type' ? action.text.length < 5 : action.type !== 'wait';
  },
};
const output: ComputerCallOutput = await toolset.execute(modern, consent);
const image: string | undefined = output.output.image_url;
// @ts-expect-error consent is a boolean
await toolset.execute(modern, { beforeAction: () => 'yes' });
// @ts-expect-error no such option
await toolset.execute(modern, { beforeActions: () => true });
same<ReturnType<typeof toolset.close>, { status: 'closed' | 'draining' }>();
const checked = ComputerToolset.validate(modern);
same<typeof checked, typeof modern>();

declare const client: ResponsesClient & {
  responses: {
    create(body: { input: string }, options?: { timeout: number }): Promise<{ id: string }>;
  };
};
const response = await toolset.run(
  client,
  { input: 'go' },
  { ...consent, maxSteps: 3, requestOptions: { timeout: 5 } },
);
same<typeof response, { id: string }>();
// @ts-expect-error the client knows no such option
await toolset.run(client, { input: 'go' }, { requestOptions: { retries: 5 } });
// @ts-expect-error the client needs an input
await toolset.run(client, {});
const runner = new ResponsesToolRunner({ computer: toolset });
await runner.run(client, { input: 'go' }, { computerOptions: consent });
// @ts-expect-error a driver is no toolset
new ResponsesToolRunner({ computer: driver });
new ComputerUseError('words', 'code').response satisfies unknown;

// The ready driver takes the pages of Playwright, whose package the types do not need.
declare const page: CorePage;
new ComputerToolset(
  new PlaywrightComputerDriver(page, { crop: [0, 0, 10, 10], maxSize: [1440, 900], waitMs: 5 }),
);
// @ts-expect-error no page
new PlaywrightComputerDriver({});
// @ts-expect-error no such scale
new PlaywrightComputerDriver(page, { scale: 'big' });

const [x, y]: [number, number] = new CoordinateMapping([0, 0, 4, 4], [2, 2]).toScreen(1, 1);
const keys: string[] = chord(['CTRL', 'A']);
const [width, height]: [number, number] = fit(1, 2);
const url: string = dataUrl(new Uint8Array());
Picture.read(new Uint8Array()).checkLimits();
// @ts-expect-error read, not made
new Picture('image/png', 1, 1);
