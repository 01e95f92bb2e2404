/** Computer types of the npm `openai` package fit those of this one, both ways (P-2, P-3). Never run. */
import OpenAI from 'openai';
import type * as Published from 'openai/helpers/computer';
import type {
  ComputerAction,
  Response,
  ResponseComputerToolCall,
  ResponseComputerToolCallOutputScreenshot,
  ResponseInputItem,
} from 'openai/resources/responses/responses';
import type * as Ours from 'swingbridge';
import { ComputerToolset } from 'swingbridge/helpers/computer';
import { ResponsesToolRunner } from 'swingbridge/helpers/responses-tool-runner';

declare const driver: Published.ComputerDriver;
declare const options: Published.ComputerExecutionOptions;
declare const runOptions: Published.ComputerRunOptions;
declare const call: ResponseComputerToolCall;
declare const input: Published.ComputerCallInput;
declare const client: OpenAI;

// Drivers, options and calls that were typed with the published package.
const toolset = new ComputerToolset(driver);
const history: ResponseInputItem[] = [
  await toolset.execute(call),
  await toolset.execute(input, options),
];
const copy: ResponseComputerToolCall = ComputerToolset.validate(call);
const params = { model: 'computer-use', input: history } as const;
const response: Response = await toolset.run(client, { ...params, input: history }, runOptions);
const words: string = response.output_text;
await new ResponsesToolRunner({ computer: toolset }).run(
  client,
  { model: 'm', input: 'go', tools: [{ type: 'computer' }] },
  { computerOptions: options },
);

// What this package calls the same is the same.
const theirs: Published.ComputerDriver = {} as Ours.ComputerDriver;
const consent: Published.ComputerExecutionOptions = {} as Required<
  Pick<Ours.ComputerExecutionOptions, 'approveSafetyChecks' | 'beforeAction'>
> as Published.ComputerExecutionOptions;
const action: ComputerAction = {} as Ours.ComputerAction;
const back: Ours.ComputerAction = {} as ComputerAction;
const picture: ResponseComputerToolCallOutputScreenshot = {} as Ours.ComputerScreenshot;
const pictureBack: Ours.ComputerScreenshot = {} as ResponseComputerToolCallOutputScreenshot;
const called: ResponseComputerToolCall = {} as Ours.ComputerCall;
const calledBack: Ours.ComputerCall = {} as ResponseComputerToolCall;
const given: Published.ComputerCallInput = {} as Ours.ComputerCallInput;
const givenBack: Ours.ComputerCallInput = {} as Published.ComputerCallInput;
