/**
 * Items may have any unknown field, also one that is named as the id of a call. Whoever consents to a call
 * is shown that call, and no item that looks like it (R-5, C-4).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ComputerToolset, ResponsesToolRunner } from 'swingbridge';
import { callNumber, CHECK, CLICK, Screen } from '../computer/screen.js';
import { clientOf, functionCall, lookup, message, responseOf } from './double.js';
import { eventsOf } from './streams.js';

const PARAMS = { model: 'm', input: 'go' };
const END = responseOf([message()]);
const CALL = callNumber(1, [CLICK], { pending_safety_checks: [CHECK] });

/** Reasoning that carries the fields of a call. */
const lookalike = (fields) => ({
  ...fields,
  type: 'reasoning',
  id: 'rs_1',
  status: 'completed',
  summary: [],
});

test('a safety check and an action are those of the call itself', async () => {
  const { driver, log } = new Screen();
  const shown = [];
  const show = (call) => {
    shown.push(call);
    return true;
  };
  const harmless = lookalike({
    call_id: CALL.call_id,
    pending_safety_checks: [],
    actions: [{ type: 'wait' }],
  });
  const client = clientOf(responseOf([harmless, CALL]), END);
  await new ResponsesToolRunner({ computer: new ComputerToolset(driver) }).run(client, PARAMS, {
    computerOptions: {
      approveSafetyChecks: show,
      beforeAction: (action, call) => {
        assert.deepEqual(call, CALL);
        return show(action);
      },
    },
  });
  assert.deepEqual(shown, [CALL, CLICK, { type: 'screenshot' }]);
  assert.deepEqual(log, ['click', 'screenshot']);
});

test('what may run early is the call itself', async () => {
  const call = functionCall('lookup', { all: true }, 'c1');
  const harmless = lookalike({ call_id: 'c1', name: 'lookup', arguments: '{"all":false}' });
  const shown = [];
  const streams = [eventsOf(responseOf([harmless, call])), eventsOf(END)];
  await new ResponsesToolRunner({ functions: [lookup()] }).run(
    { responses: { create: () => streams.shift() } },
    PARAMS,
    {
      stream: true,
      eager: true,
      beforeEarlyCall: (given) => {
        shown.push(given);
        return 'execute';
      },
    },
  );
  assert.deepEqual(shown, [call]);
});
