/** The model's side of a whole run: the scripted answers, what was asked for, and two ways to reach it. */
import { HOST_TEXT } from './scenario.js';
import { HistoryReader } from './run-records.js';
import { untag } from './tags.js';

/** Answers each request with the next scripted body, and keeps a record of the request. */
export class Service {
  requests = [];
  #input;
  #script;
  #reader;

  constructor(input, script) {
    this.#input = input;
    this.#script = script;
    this.#reader = new HistoryReader(input);
  }

  /** `{ status }` of a failure, `{ events }` of a streamed response, or the `{ response }`. */
  answer(body) {
    const number = this.requests.length;
    this.#script.trace.push('request');
    // As it stands on the wire.
    this.requests.push(this.#reader.requestRecord(JSON.parse(JSON.stringify(body))));
    this.#script.reach('request');
    const scripted = this.#input.responses[number];
    if (scripted === undefined) return { status: 400 };
    if ('http_status' in scripted) return { status: scripted.http_status };
    const response = untag(scripted);
    this.#reader.noteItems(response.output);
    if (body.stream !== true) return { response };
    const given = this.#input.streams?.[number];
    return { events: given ? untag(given) : eventsOf(response) };
  }

  noteUserText(text) {
    this.#reader.noteUserText(text);
  }
}

/** The events by which a service streams a response. */
function eventsOf(response) {
  const created = { ...response, status: 'in_progress', output: [] };
  const ends = { incomplete: 'response.incomplete', failed: 'response.failed' };
  const items = response.output.flatMap((item, index) =>
    ['added', 'done'].map((step) => ({
      type: `response.output_item.${step}`,
      output_index: index,
      item: structuredClone(item),
    })),
  );
  return [
    { type: 'response.created', response: created },
    ...items,
    { type: ends[response.status] ?? 'response.completed', response },
  ];
}

/** The least that is a client: `create`, which also streams. */
export function plainClient(service) {
  return {
    responses: {
      async create(body) {
        const { status, events, response } = service.answer(body);
        // The body is the client's to edit, but for the items of its input.
        for (const list of [body.input, body.tools]) list.length = 0;
        for (const name of Object.keys(body)) delete body[name];
        if (status !== undefined) throw new Error(HOST_TEXT);
        return response ?? streamOf(events);
      },
    },
  };
}

async function* streamOf(events) {
  yield* events;
}

/** Clients of the `openai` package: the whole of it runs but for the network. */
export function npmClient(OpenAI) {
  return (service) =>
    new OpenAI({
      apiKey: 'k',
      baseURL: 'http://service.invalid/v1',
      maxRetries: 0,
      fetch: async (_url, { body }) => httpResponse(service.answer(JSON.parse(body))),
    });
}

function httpResponse({ status, events, response }) {
  if (status !== undefined) return Response.json({ error: { message: HOST_TEXT } }, { status });
  if (response) return Response.json(response);
  const lines = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  return new Response(lines.join(''), { headers: { 'content-type': 'text/event-stream' } });
}
