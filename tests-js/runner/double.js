/** A client double: gives the scripted responses and keeps what it was asked for. */

export const message = (text = 'done', fields = {}) => ({
  id: `msg_${text}`,
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
  ...fields,
});

export const functionCall = (name, args, callId, fields = {}) => ({
  id: `fc_${callId}`,
  type: 'function_call',
  name,
  arguments: JSON.stringify(args),
  call_id: callId,
  status: 'completed',
  ...fields,
});

export const responseOf = (output, fields = {}) => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  output,
  usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5, details: { cached: 1 } },
  ...fields,
});

/** Each script entry is a response, or a function of the request. Requests are kept as copies. */
export function clientOf(...script) {
  const requests = [];
  const responses = {
    create(body, options) {
      requests.push({ body: structuredClone(body), options, given: arguments.length });
      const next = script.shift();
      return typeof next === 'function' ? next(body, options) : Promise.resolve(next);
    },
  };
  return { responses, requests };
}

export const lookup = (execute = () => 'found', fields = {}) => ({
  tool: {
    type: 'function',
    name: 'lookup',
    description: 'Looks up.',
    parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
    strict: true,
    ...fields,
  },
  execute,
});
