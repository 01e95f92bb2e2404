/** Which way a run goes. */

import { Run, type Given } from '../run.js';
import { insideClient } from './client.js';
import { NativeRun } from './native-run.js';

/** On a native client the history is text, unless it is measured or saved. */
export function runFor(given: Given): Run | NativeRun {
  const inside = given.options.needsWhole ? undefined : insideClient(given.client);
  return inside === undefined ? new Run(given) : new NativeRun(given, inside);
}
