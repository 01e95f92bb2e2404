// A model that needs no key: it makes scripted choices, each from what the tools told it before.

export const WANTED = {
  Service: 'vaccination',
  Time: '2027-03-05T14:15',
  Name: 'Robin Vale',
  Email: 'robin.vale@example.com',
  Notes: 'Please call on arrival.',
};

/** Stands in for the `openai` client: `responses.create` gives the next turn of the script. */
export class RehearsalClient {
  responses = this;
  #script = script();
  #turn = 0;

  async create({ input }) {
    const outputs = input.filter((item) => item.type === 'function_call_output');
    const { value } = this.#script.next(outputs);
    this.#turn += 1;
    const output =
      typeof value === 'string'
        ? [message(value)]
        : value.map(([member, args], index) => call(`${this.#turn}_${index}`, member, args));
    return {
      id: `resp_${this.#turn}`,
      object: 'response',
      status: 'completed',
      output,
      usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
    };
  }
}

/** What a model would do: look, fill in, submit, look again, answer. */
function* script() {
  const refs = refsOf(yield [['read_page', { tab_id: null, filter: 'interactive' }]]);
  yield ['Service', 'Time'].map((name) => [
    'select_option',
    { target: refs[name], values: [WANTED[name]], tab_id: null },
  ]);
  yield [
    ...['Name', 'Email', 'Notes'].map((name) => [
      'type',
      { text: WANTED[name], target: refs[name], tab_id: null },
    ]),
    ['set_checked', { tab_id: null, target: refs['I accept the terms'], checked: true }],
  ];
  yield [['click', { target: refs['Book appointment'], tab_id: null }]];
  yield [['wait_for', { text: 'Appointment booked', timeout_ms: 5000, tab_id: null }]];
  const outputs = yield [
    ['get_page_text', { tab_id: null }],
    ['screenshot', { tab_id: null }],
  ];
  const read = payload(outputs.at(-2)).result;
  const text = typeof read === 'string' ? read : read.text;
  const reference = text.split('Reference')[1].trim().split(/\s/)[0];
  yield `Your appointment is booked. The reference is ${reference}.`;
}

function refsOf(outputs) {
  const { elements } = payload(outputs.at(-1)).result;
  return Object.fromEntries(elements.map((element) => [element.label, element.ref]));
}

function payload(output) {
  const payload = JSON.parse(output.output[0].text);
  if (!payload.ok) throw new Error(`a browser call failed: ${payload.error}`);
  return payload;
}

function call(id, member, args) {
  return {
    type: 'function_call',
    id: `fc_${id}`,
    call_id: `call_${id}`,
    name: `browser_${member}`,
    arguments: JSON.stringify(args),
    status: 'completed',
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
export function finalText(response) {
  return response.output
    .filter((item) => item.type === 'message')
    .flatMap((item) => item.content)
    .filter((part) => part.type === 'output_text')
    .map((part) => part.text)
    .join('');
}
