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

/**
 * The output item of a call; the picture is the driver's, in our copy. That there was nothing to
 * acknowledge is said too, as in Python: a saved run has one form (P-5).
 */
export function computerOutputItem(
  output: Omit<ComputerOutput, 'screenshot'>,
  screenshot: unknown,
): ComputerCallOutput {
  const { call_id, acknowledged } = output;
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
