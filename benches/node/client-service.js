// The service of `client.js`, in a process of its own so that its time is not the client's: it reads requests without looking
// at them, and answers as its path says.

import { createServer } from 'node:http';
import { once } from 'node:events';

const [turns, events] = process.argv.slice(2).map(Number);

const MESSAGE = {
  type: 'message',
  id: 'm',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'done', annotations: [] }],
};
const responseOf = (id, output) => ({ id, object: 'response', status: 'completed', output });
const DONE = JSON.stringify(responseOf('resp_end', [MESSAGE]));

const eventText = (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const [PART] = MESSAGE.content;
const started = { ...MESSAGE, status: 'in_progress', content: [] };
const place = { item_id: 'm', output_index: 0, content_index: 0 };
const deltas = Array.from({ length: events - 7 }, () => ({
  type: 'response.output_text.delta',
  ...place,
  delta: 'word ',
  logprobs: [],
}));
const STREAM = Buffer.from(
  [
    {
      type: 'response.created',
      response: { ...responseOf('resp_end', []), status: 'in_progress' },
    },
    { type: 'response.output_item.added', output_index: 0, item: started },
    { type: 'response.content_part.added', ...place, part: { ...PART, text: '' } },
    ...deltas,
    { type: 'response.output_text.done', ...place, text: PART.text, logprobs: [] },
    { type: 'response.content_part.done', ...place, part: PART },
    { type: 'response.output_item.done', output_index: 0, item: MESSAGE },
    { type: 'response.completed', response: responseOf('resp_end', [MESSAGE]) },
  ]
    .map((event, sequence_number) => eventText({ ...event, sequence_number }))
    .join('')
    .concat('data: [DONE]\n\n'),
);

let turn = 0;

function nextTurn() {
  turn += 1;
  if (turn > turns) {
    turn = 0;
    return DONE;
  }
  const call = {
    type: 'computer_call',
    id: `cu_${turn}`,
    call_id: `call_${turn}`,
    actions: [{ type: 'screenshot' }],
    pending_safety_checks: [],
    status: 'completed',
  };
  return JSON.stringify(responseOf(`resp_${turn}`, [call]));
}

const server = createServer((request, response) => {
  request.resume().once('end', () => {
    const [, task] = request.url.split('/');
    if (task === 'events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(STREAM);
    } else {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(task === 'turns' ? nextTurn() : DONE);
    }
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.send(server.address().port);
