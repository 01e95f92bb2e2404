/** A screen that writes down what is asked of it, and the calls that are made of it. */
import { ComputerToolset } from 'swingbridge';

export const METHODS = [
  'click',
  'double_click',
  'drag',
  'keypress',
  'move',
  'scroll',
  'type',
  'wait',
];
export const PICTURE = { type: 'computer_screenshot', image_url: 'data:image/png;base64,AA==' };
export const CLICK = { type: 'click', x: 1, y: 2, button: 'left' };
export const MOVE = { type: 'move', x: 5, y: 6 };
export const DRAG = {
  type: 'drag',
  path: [
    { x: 1, y: 2 },
    { x: 3, y: 4 },
  ],
  keys: ['SHIFT'],
};
export const CHECK = { id: 'sc_1', code: 'malicious_instructions', message: 'Look twice.' };

/** A completed call with these actions; a click if there are none. */
export function call(actions = [CLICK], fields = {}) {
  return callNumber(1, actions, fields);
}

export function callNumber(number, actions = [CLICK], fields = {}) {
  return {
    type: 'computer_call',
    id: `cu_${number}`,
    call_id: `call_${number}`,
    status: 'completed',
    pending_safety_checks: [],
    actions: structuredClone(actions),
    ...fields,
  };
}

/** What `execute` gives for it. */
export function output(number = 1, checks = undefined) {
  const { acknowledged_safety_checks: _none, ...item } = savedOutput(number);
  return { ...item, ...(checks && { acknowledged_safety_checks: checks }) };
}

/** What goes back for it in a run. */
export function savedOutput(number = 1, checks = []) {
  return {
    type: 'computer_call_output',
    call_id: `call_${number}`,
    output: { ...PICTURE },
    acknowledged_safety_checks: checks,
  };
}

/** The driver, callbacks, and what they were asked. */
export class Screen {
  log = [];
  given = [];

  constructor(methods = {}) {
    this.driver = {
      ...Object.fromEntries(METHODS.map((name) => [name, (action) => this.#note(name, action)])),
      screenshot: () => {
        this.log.push('screenshot');
        return { ...PICTURE };
      },
      ...methods,
    };
    this.toolset = new ComputerToolset(this.driver);
  }

  #note(name, given) {
    this.log.push(name);
    this.given.push(given);
  }

  approve = (verdict = () => true) => ({
    approveSafetyChecks: (given) => {
      this.#note('approve', given);
      return verdict();
    },
  });

  review = (verdict = () => true) => ({
    beforeAction: (action) => {
      this.#note(`before ${action.type}`, action);
      return verdict();
    },
  });

  execute(item, options) {
    return this.toolset.execute(item, options);
  }

  run(client, options, params) {
    return this.toolset.run(client, { model: 'm', input: 'go', ...params }, options);
  }
}

/** What is thrown. */
export async function thrownBy(work) {
  try {
    await work();
  } catch (error) {
    return { error };
  }
  throw new Error('nothing was thrown');
}
