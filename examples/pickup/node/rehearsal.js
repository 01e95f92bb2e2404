// A model that needs no key: it looks at the screen, clicks where the button is, looks again and answers.

export const VIEWPORT = { width: 1120, height: 720 };
// The middle of "Show pick-up details" in a window of that size; the button is 56 pixels high.
const BUTTON = { x: 560, y: 376 };

/** What it does in each turn: actions, or words that end the task. */
export const SCRIPT = [
  [{ type: 'screenshot' }],
  [
    { type: 'move', ...BUTTON },
    { type: 'click', ...BUTTON, button: 'left' },
  ],
  [{ type: 'wait' }, { type: 'screenshot' }],
  'Your parcel is in locker B17. Its code is 4083. Collect it until Saturday, 18:00.',
];

/** Stands in for the `openai` client: `responses.create` gives the next turn of the script. */
export class RehearsalClient {
  #turn = 0;

  responses = { create: (params) => this.#create(params) };

  #create({ input }) {
    const outputs = input.filter(({ type }) => type === 'computer_call_output');
    if (outputs.length !== this.#turn) {
      throw new Error(`${outputs.length} screenshots were sent instead of ${this.#turn}`);
    }
    for (const { output } of outputs) {
      if (!output.image_url.startsWith('data:image/png;base64,iVBOR')) {
        throw new Error('what was sent is no PNG picture');
      }
    }
    const next = SCRIPT[this.#turn];
    this.#turn += 1;
    return {
      id: `resp_${this.#turn}`,
      object: 'response',
      status: 'completed',
      output: [typeof next === 'string' ? message(next) : call(this.#turn, next)],
      usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
    };
  }
}

function call(turn, actions) {
  return {
    type: 'computer_call',
    id: `cu_${turn}`,
    call_id: `call_${turn}`,
    status: 'completed',
    pending_safety_checks: [],
    actions,
  };
}

function message(text) {
  return {
    type: 'message',
    id: 'msg_final',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
}

/** The text of a final response, from the rehearsal or from the service. */
export function finalText({ output }) {
  return output
    .filter(({ type }) => type === 'message')
    .flatMap(({ content }) => content)
    .filter(({ type }) => type === 'output_text')
    .map(({ text }) => text)
    .join('');
}
