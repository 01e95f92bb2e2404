/** Drivers and calls that the tests share. */
import { BrowserToolset } from 'swingbridge';

export const TAB = { id: 't1', title: 'Title', url: 'https://example.com/path?q=1', active: true };
export const IMAGE = { type: 'input_image', image_url: 'data:image/png;base64,AA==' };

const ARGUMENTS = {
  navigate: { url: 'https://example.com/', tab_id: null },
  read_page: { tab_id: null, filter: 'all' },
  click: { target: 'e1', tab_id: null },
  type: { text: 'hello', target: null, tab_id: null },
  screenshot: { tab_id: null },
  upload_file: { grant_id: 'g1' },
};

/** A completed call of a member. */
export function callOf(member, fields = {}) {
  return {
    type: 'function_call',
    name: `browser_${member}`,
    arguments: JSON.stringify(ARGUMENTS[member] ?? {}),
    call_id: 'call_1',
    status: 'completed',
    ...fields,
  };
}

/** A driver with these methods and a state of one tab. */
export function driverOf(methods = {}) {
  return { state: () => ({ tabs: [TAB] }), ...methods };
}

/** A toolset that allows everything its driver can do. */
export function toolsetOf(methods, options = {}) {
  return new BrowserToolset(driverOf(methods), {
    confirm: () => true,
    urlPolicy: () => true,
    ...options,
  });
}

/** What the model reads. */
export function payloadOf(output) {
  return JSON.parse(output.output[0].text);
}

/** A promise and what settles it. */
export function deferred() {
  let resolve;
  let reject;
  const promise = new Promise((...both) => ([resolve, reject] = both));
  return { promise, resolve, reject };
}

/** After all that is ready to run has run. */
export function settled() {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Whether a promise has settled by now. */
export async function isSettled(promise) {
  let done = false;
  const note = () => (done = true);
  promise.then(note, note);
  await settled();
  return done;
}
