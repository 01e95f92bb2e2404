/** Responses that failed or are incomplete: given as they are, and kept by the error of a run (N-2, R-8). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import * as swingbridge from 'swingbridge';
import { message, responseOf } from '../runner/double.js';
import { beginStream, eventText, reasonOf, say, serviceFor } from './service.js';

const { ResponsesToolRunner, ResponsesToolRunnerError } = swingbridge;
const PARAMS = { model: 'm', input: 'hi' };
const ENDINGS = {
  failed: { ...responseOf([]), status: 'failed', error: { code: 'c', message: 'hunter2' } },
  incomplete: {
    ...responseOf([{ ...message('hunter2'), status: 'incomplete' }]),
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
  },
};

/** A service that ends each response so, plain or streamed. */
function endingSo(test, ending) {
  return serviceFor(test, ({ body }, response) => {
    if (body.stream !== true) return say(response, ENDINGS[ending]);
    beginStream(response, { 'x-request-id': 'req_1' });
    const last = { type: `response.${ending}`, response: ENDINGS[ending] };
    response.end([{ type: 'response.created' }, last].map(eventText).join(''));
  });
}

for (const ending of Object.keys(ENDINGS)) {
  test(`a response that is ${ending} is given as it is`, async (t) => {
    const client = (await endingSo(t, ending)).client();
    const { output_text, ...response } = await client.responses.create(PARAMS);
    assert.deepEqual(response, ENDINGS[ending]);
    assert.equal(output_text, ending === 'failed' ? '' : 'hunter2');
    const seen = [];
    for await (const event of await client.responses.create({ ...PARAMS, stream: true })) {
      seen.push(event);
    }
    assert.equal(seen.at(-1).type, `response.${ending}`);
    assert.deepEqual(seen.at(-1).response, ENDINGS[ending]);
    assert.equal(seen.at(-1).response._request_id, 'req_1');
  });

  for (const stream of [false, true]) {
    for (const isOwn of [true, false]) {
      const how = `${stream ? 'streamed' : 'plain'}, ${isOwn ? 'own' : 'foreign'} client`;
      test(`the error of a run has a response that is ${ending} (${how})`, async (t) => {
        const own = (await endingSo(t, ending)).client();
        const foreign = { responses: { create: (...args) => own.responses.create(...args) } };
        const runner = new ResponsesToolRunner({});
        const error = await reasonOf(runner.run(isOwn ? own : foreign, PARAMS, { stream }));
        assert.ok(error instanceof ResponsesToolRunnerError);
        assert.equal(error.code, `response_${ending}`);
        const { status, output } = error.response;
        assert.deepEqual({ status, output }, { status: ending, output: ENDINGS[ending].output });
        const shown = [
          inspect(error, { depth: 9, showHidden: true }),
          JSON.stringify(error),
          error.stack,
        ];
        assert.doesNotMatch(shown.join(), /hunter2/);
      });
    }
  }
}

test('without a response the error of a run has none', async (t) => {
  const service = await serviceFor(t, (_request, response) => say(response, {}, { status: 400 }));
  const error = await reasonOf(new ResponsesToolRunner({}).run(service.client(), PARAMS));
  assert.deepEqual([error.code, error.response], ['request_failed', undefined]);
});

test('the names that programs of the published package catch', () => {
  const names = `APIError APIConnectionError APIConnectionTimeoutError APIUserAbortError BadRequestError
    AuthenticationError PermissionDeniedError NotFoundError ConflictError UnprocessableEntityError
    RateLimitError InternalServerError`;
  for (const name of names.split(/\s+/)) {
    const type = swingbridge[name];
    assert.ok(
      type === swingbridge.APIError || type.prototype instanceof swingbridge.APIError,
      name,
    );
    assert.equal(type.prototype.name, name);
  }
  assert.equal(swingbridge.APITimeoutError, undefined, 'the name in Python');
});
