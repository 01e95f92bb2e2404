/** The output item of a computer call. */

import type {
  ComputerCallOutput,
  ComputerSafetyCheck,
  ComputerScreenshot,
} from './computer-types.js';

/** What the core says of a finished call; `screenshot` is where its sources are kept. */
export interface ComputerOutput {
  call_id: string;
  screenshot: number;
  acknowledged: ComputerSafetyCheck[];
}

/** The output item of a call; the picture is the driver's, in our copy. */
export function computerOutputItem(
  output: Omit<ComputerOutput, 'screenshot'>,
  screenshot: unknown,
): ComputerCallOutput {
  const item = savedOutputItem(output, screenshot);
  if (output.acknowledged.length === 0) delete item.acknowledged_safety_checks;
  return item;
}

/** The same as it goes into a history. That nothing was to be acknowledged is said, as in Python (P-5). */
export function savedOutputItem(
  { call_id, acknowledged }: Omit<ComputerOutput, 'screenshot'>,
  screenshot: unknown,
): ComputerCallOutput {
  const { type, image_url, file_id } = screenshot as ComputerScreenshot;
  return {
    type: 'computer_call_output',
    call_id,
    output: {
      type,
      ...(image_url === undefined ? undefined : { image_url }),
      ...(file_id === undefined ? undefined : { file_id }),
    },
    acknowledged_safety_checks: acknowledged,
  };
}
