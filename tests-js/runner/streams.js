/** Clients that stream: scripted events, a stream that is read by hand, and what became of each stream. */
import { deferred } from '../support.js';

/** The events by which a service streams a response. */
export function eventsOf(response) {
  const items = response.output.flatMap((item, output_index) =>
    ['added', 'done'].map((step) => ({
      type: `response.output_item.${step}`,
      output_index,
      item: structuredClone(item),
    })),
  );
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    ...items,
    { type: 'response.completed', response },
  ];
}

export const delta = (text) => ({ type: 'response.output_text.delta', delta: text });

/** An iterable of events that notes how it is ended. An event that is an Error is thrown. */
export function streamOf(events, ends = []) {
  const stream = {
    controller: { abort: () => ends.push('abort') },
    async *[Symbol.asyncIterator]() {
      try {
        for (const event of events) {
          if (event instanceof Error) throw event;
          yield await event;
        }
        ends.push('over');
      } finally {
        ends.push('return');
      }
    },
  };
  return stream;
}

/** A client with `create` only. Each script entry is a list of events, a stream, or a function that gives one. */
export function streamingClient(...script) {
  const requests = [];
  const ends = [];
  const create = async (body, options) => {
    requests.push({ body: structuredClone(body), options });
    const next = script.shift();
    const given = typeof next === 'function' ? next(body, options) : next;
    return Array.isArray(given) ? streamOf(given, ends) : given;
  };
  return { responses: { create }, requests, ends };
}

/** A stream whose events are given one at a time. */
export function manualStream() {
  const waiting = [];
  const given = [];
  const ends = [];
  const give = (result) => {
    const reader = waiting.shift();
    if (reader) reader.resolve(result);
    else given.push(result);
  };
  const iterator = {
    next() {
      if (given.length > 0) return Promise.resolve(given.shift());
      const reader = deferred();
      waiting.push(reader);
      return reader.promise;
    },
    return() {
      ends.push('return');
      return Promise.resolve({ done: true, value: undefined });
    },
  };
  return {
    ends,
    isRead: () => waiting.length > 0,
    event: (value) => give({ done: false, value }),
    over: () => give({ done: true, value: undefined }),
    fail: (error) => waiting.shift()?.reject(error),
    stream: { [Symbol.asyncIterator]: () => iterator, abort: () => ends.push('abort') },
  };
}
