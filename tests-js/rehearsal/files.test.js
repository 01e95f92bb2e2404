/** Scripts and transcripts in files, and what is wrong with them (D-8). */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ConfigurationError, SwingbridgeError } from 'swingbridge';
import { RehearsalServer, ScriptError } from 'swingbridge/rehearsal';
import { reasonOf } from '../client/service.js';
import { ask, saying, serverFor } from './support.js';

const FOLDER = mkdtempSync(path.join(tmpdir(), 'rehearsal-'));
after(() => rmSync(FOLDER, { recursive: true }));

/** The path of a file with this text. */
function fileOf(name, text) {
  const file = path.join(FOLDER, name);
  writeFileSync(file, text);
  return file;
}

test('a script comes from a file, by its path or its URL', async (t) => {
  const file = fileOf('script.yaml', 'turns: [{ message: Grüezi }]');
  for (const place of [file, pathToFileURL(file)]) {
    const server = await RehearsalServer.fromFile(place);
    t.after(() => server.stop());
    assert.equal(await ask(server), 'Grüezi');
  }
});

test('a transcript is recorded and given again', async (t) => {
  const file = path.join(FOLDER, 'run.jsonl');
  for (const transcript of [file, pathToFileURL(file)]) {
    const server = await serverFor(t, saying('one', 'two'), { transcript });
    assert.deepEqual([await ask(server, 'first'), await ask(server, 'second')], ['one', 'two']);
    await server.stop();
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n').map(JSON.parse);
    assert.deepEqual(
      lines.map(({ turn, request }) => [turn, request.input]),
      [
        [0, 'first'],
        [1, 'second'],
      ],
    );
    const over = RehearsalServer.start(saying('one'), { transcript });
    await assert.rejects(over, { code: 'EEXIST', syscall: 'open' });
    const again = await RehearsalServer.replay(transcript);
    t.after(() => again.stop());
    assert.equal(again.turnsLeft, 2);
    assert.deepEqual([await ask(again, 'something'), await ask(again, 'else')], ['one', 'two']);
    rmSync(file);
  }
});

const UNPLAYABLE = [
  ['turns: [{ mesage: one }]', 'turns[0].mesage', 'unknown'],
  [{ turns: [{ mesage: 'one' }] }, 'turns[0].mesage', 'unknown'],
  ['turns: [{ message: one, compaction: {} }]', 'turns[0]', 'conflict'],
  ['turns: [{ browser_fly: {} }]', 'turns[0].browser_fly', 'member'],
  ['turns: one', 'turns', 'form'],
  ['turns: []', 'turns', 'missing'],
  [{}, 'turns', 'missing'],
  ['turns: [}', 'line 1', 'syntax'],
  ['a: 1\n---\nb: 2', 'script', 'documents'],
  [`turns: ${'['.repeat(200)}`, 'script', 'bounds'],
];

for (const [script, place, code] of UNPLAYABLE) {
  test(`a script that is none: ${JSON.stringify(script)}`, async () => {
    const reason = await reasonOf(RehearsalServer.start(script));
    assert.ok(reason instanceof ScriptError);
    assert.ok(reason instanceof SwingbridgeError);
    assert.deepEqual([reason.name, reason.place, reason.code], ['ScriptError', place, code]);
    assert.ok(reason.message.startsWith(`${place}: `), reason.message);
  });
}

test('a transcript that is none', async () => {
  const file = fileOf('none.jsonl', '{"turn":null}\nturns: []');
  const reason = await reasonOf(RehearsalServer.replay(file));
  assert.ok(reason instanceof ScriptError);
  assert.deepEqual([reason.place, reason.code], ['line 2', 'syntax']);
});

test('faults of the system have their codes', async (t) => {
  const missing = path.join(FOLDER, 'missing', 'file');
  const { url } = await serverFor(t, saying('one'));
  const port = Number(new URL(url).port);
  const one = saying('one');
  for (const [start, code, syscall] of [
    [() => RehearsalServer.fromFile(missing), 'ENOENT', 'open'],
    [() => RehearsalServer.replay(missing), 'ENOENT', 'open'],
    [() => RehearsalServer.start(one, { transcript: missing }), 'ENOENT', 'open'],
    [() => RehearsalServer.start(one, { transcript: FOLDER }), 'EISDIR', 'open'],
    [() => RehearsalServer.start(one, { port }), 'EADDRINUSE', 'listen'],
  ]) {
    const reason = await reasonOf(start());
    assert.ok(reason instanceof Error);
    assert.deepEqual([reason.code, reason.syscall], [code, syscall]);
    assert.ok(reason.message.startsWith(`${code}: `), reason.message);
  }
});

test(
  'a transcript that lost a line is told at the end',
  { skip: existsSync('/dev/full') ? false : 'this system has no device that is always full' },
  async () => {
    const server = await RehearsalServer.start(saying('one'), { transcript: '/dev/full' });
    assert.equal(await ask(server), 'one');
    for (const _ of [1, 2]) {
      const { code, syscall } = await reasonOf(server.stop());
      assert.deepEqual([code, syscall], ['ENOSPC', 'write']);
    }
  },
);

const circular = {};
circular.turns = circular;
for (const [script, options] of [
  [undefined],
  [null],
  [7],
  [circular],
  [{ toJSON: () => undefined }],
  [saying('one'), { port: -1 }],
  [saying('one'), { port: 65_536 }],
  [saying('one'), { port: 1.5 }],
  [saying('one'), { port: '80' }],
  [saying('one'), { apiKey: 7 }],
  [saying('one'), { apiKey: 'key \ud800' }],
  [saying('one'), { transcript: 7 }],
  [saying('one'), { keepBodies: 'no' }],
]) {
  test(`options that cannot be used: ${typeof script} ${JSON.stringify(options)}`, async () => {
    const reason = await reasonOf(RehearsalServer.start(script, options));
    assert.ok(reason instanceof ConfigurationError);
    assert.ok(reason instanceof TypeError);
    assert.equal(reason.code, 'option_invalid');
  });
}

test('no options are as good as none', async (t) => {
  const unset = { port: null, apiKey: null, transcript: null, keepBodies: null };
  for (const options of [null, unset]) {
    const server = await serverFor(t, saying('one'), options);
    assert.equal(await ask(server), 'one');
    assert.equal(server.requests()[0].json().input, 'go');
  }
});
