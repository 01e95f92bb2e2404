/** Every code of the core has a class, and the addon's errors become ours. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as native from '../../bindings-node/native/native.js';
import { errorClass, fromNative, isCancellation } from '../../bindings-node/dist/errors.js';
import {
  BrowserError,
  BusyError,
  ClosedError,
  ComputerUseError,
  ConfigurationError,
  ContractError,
  DriverError,
  DrivingError,
  ResponsesToolRunnerError,
  SwingbridgeError,
} from 'swingbridge';

const CODES = JSON.parse(
  readFileSync(new URL('../../conformance/error_codes.json', import.meta.url), 'utf8'),
);

/** What a toolset throws for a code of each family. */
const CLASSES = {
  stop: [ContractError, ComputerUseError],
  misuse: [DrivingError],
  gate: [BusyError, ClosedError],
  selection: [ConfigurationError],
  admission: [ConfigurationError],
  turn: [ConfigurationError],
  keys: [DriverError],
  mapping: [DriverError],
  picture: [DriverError],
  tool: [ConfigurationError],
};
/** Told to the model. */
const NEVER_THROWN = ['argument'];

test('the families are all of them', () => {
  assert.deepEqual(Object.keys(CODES).sort(), [...Object.keys(CLASSES), ...NEVER_THROWN].sort());
});

for (const [family, classes] of Object.entries(CLASSES)) {
  for (const code of CODES[family]) {
    test(`${family} ${code} has a class`, () => {
      const type = errorClass(code);
      assert.ok(classes.includes(type), type.name);
      const error = new type('words', code);
      assert.ok(error instanceof Error);
      assert.deepEqual([error.name, error.message, error.code], [type.name, 'words', code]);
    });
  }
}

test('configuration, busy and closed are TypeErrors, the others are not', () => {
  for (const type of [ConfigurationError, BusyError, ClosedError]) {
    assert.ok(new type('words', 'code') instanceof TypeError);
  }
  for (const type of [BrowserError, ContractError, DrivingError, ResponsesToolRunnerError]) {
    const error = new type('words', [], []);
    assert.ok(error instanceof SwingbridgeError && !(error instanceof TypeError));
  }
});

test('a runner error has its own copies of the ids', () => {
  const attempted = ['a', 'b'];
  const error = new ResponsesToolRunnerError('words', attempted, ['a']);
  attempted.pop();
  assert.deepEqual([error.attemptedCallIds, error.completedCallIds], [['a', 'b'], ['a']]);
  assert.equal('cause' in error, false);
});

test('cancellations are told apart', () => {
  assert.deepEqual(CODES.stop.filter(isCancellation), [
    'cancelled_before_effect',
    'cancelled_effect_unknown',
    'run_cancelled',
  ]);
});

test('misuse of a machine is a driving error', () => {
  const thrown = (call) => {
    try {
      call();
    } catch (error) {
      return fromNative(error);
    }
    return assert.fail('nothing thrown');
  };
  const session = native.openBrowser(undefined, undefined, undefined, false, false, []);
  const begin = () =>
    native.beginCall(
      session,
      'function_call',
      'browser_list_tabs',
      'call_1',
      '{}',
      'completed',
      false,
      false,
      0,
    );
  assert.equal(begin(), 'S');
  for (const [call, type, code] of [
    [begin, BusyError, 'busy'],
    [() => native.answerValue(session, 1, 'null', 0, false, 0), DrivingError, 'wrong_ask'],
    [() => native.answerVerdict(session, 0, true, false, 0), DrivingError, 'wrong_answer_kind'],
    [() => native.answerSeen(session, 0, false, 0), DrivingError, 'wrong_answer_kind'],
  ]) {
    const error = thrown(call);
    assert.ok(error instanceof type, String(error));
    assert.equal(error.code, code);
  }
  // The right answer is still accepted; after the end none is.
  assert.equal(native.answerFailed(session, 0, undefined, false, 0)[0], 'X');
  const late = thrown(() => native.answerFailed(session, 1, undefined, false, 0));
  assert.equal(late.code, 'machine_ended');
  native.close(session);
  assert.ok(thrown(begin) instanceof ClosedError);
});

test('other errors pass as they are', () => {
  for (const error of [
    new Error('x'),
    Object.assign(new Error('x'), { code: 'ENOENT' }),
    'text',
    undefined,
  ]) {
    assert.equal(fromNative(error), error);
  }
});
