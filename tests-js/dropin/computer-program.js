/**
 * A program that was written for the published computer helper. Only the two specifiers that it is given
 * differ; it returns everything that it saw.
 */
export async function computerProgram(computerHelper, runnerHelper) {
  const { ComputerToolset } = await import(computerHelper);
  const { ResponsesToolRunner, ResponsesToolRunnerError } = await import(runnerHelper);
  const seen = [];
  const note = (...entry) => void seen.push(structuredClone(entry));

  class Screen {
    #count = 0;
    async click({ x, y, button, keys = null }, { signal }) {
      note('click', x, y, button, keys, signal === undefined);
      if (x === 13) throw new RangeError('nothing is there');
    }
    double_click = ({ x, keys }) => note('double_click', x, keys);
    drag({ path, keys = null }) {
      note('drag', path, keys);
    }
    keypress = ({ keys }) => note('keypress', keys.join('+'));
    move = async (action) => note('move', action.x, action.further ?? null);
    scroll = ({ x, y, scroll_x, scroll_y }) => note('scroll', x, y, scroll_x, scroll_y);
    type = ({ text }) => note('type', text);
    wait = async () => note('wait');
    screenshot({ signal }) {
      note('screenshot', signal === undefined);
      return { type: 'computer_screenshot', image_url: `data:,${(this.#count += 1)}`, more: 1 };
    }
  }

  const CHECK = { id: 'sc_1', code: 'known', message: 'm' };
  const STOP = { id: 'sc_2', code: 'stop', message: 'm' };
  let count = 0;
  const call = (actions, fields) => ({
    type: 'computer_call',
    id: `cu_${(count += 1)}`,
    call_id: `call_${count}`,
    status: 'completed',
    pending_safety_checks: [],
    actions,
    ...fields,
  });
  const click = { type: 'click', x: 1, y: 2, button: 'left' };
  const consent = {
    approveSafetyChecks(given, { signal }) {
      note('approve', given.call_id, given.pending_safety_checks, signal === undefined);
      return given.pending_safety_checks.every(({ code }) => code === 'known');
    },
    async beforeAction(action, given) {
      note('before', action.type, given.call_id, given.pending_safety_checks.length);
      return !(action.type === 'type' && action.text.includes('forbidden'));
    },
    onDiagnostic: ({ api, stage, reason, call_id, member, usage }) =>
      note('diagnostic', api, stage, reason, call_id, member, usage),
  };
  /** What it gives, or how it ends: the sentences of the package are its own. */
  const attempt = async (name, work) => {
    try {
      note(name, await work());
    } catch (error) {
      const words = error instanceof RangeError ? error.message : 'a sentence';
      note(name, 'threw', error instanceof TypeError, error instanceof Error, words);
    }
  };

  const computer = new ComputerToolset(new Screen());
  const batch = [
    click,
    { type: 'double_click', x: 3, y: 4, keys: null },
    {
      type: 'drag',
      path: [
        { x: 1, y: 2 },
        { x: 3, y: 4 },
      ],
      keys: ['SHIFT'],
    },
    { type: 'keypress', keys: ['CTRL', 'A'] },
    { type: 'move', x: 5, y: 6, further: [1] },
    { type: 'screenshot' },
    { type: 'scroll', x: 1, y: 2, scroll_x: 0, scroll_y: -5 },
    { type: 'type', text: 'hello' },
    { type: 'wait' },
  ];
  const { pending_safety_checks: _checks, ...modern } = call([click]);
  const { actions: _actions, ...legacy } = call([], { action: { type: 'screenshot' } });
  const wire = [
    call(batch),
    modern,
    legacy,
    call([click], { pending_safety_checks: [CHECK] }),
    call([click], { pending_safety_checks: [CHECK, STOP] }),
    call([{ type: 'type', text: 'forbidden' }]),
    call([{ ...click, x: 13 }, { type: 'wait' }]),
    call([]),
    call([{ type: 'fly' }]),
    call([click], { status: 'incomplete' }),
    call([click], { action: click }),
  ];
  for (const item of wire) {
    await attempt(`bare ${item.call_id}`, () => computer.execute(item));
    await attempt(`asked ${item.call_id}`, () => computer.execute(item, consent));
  }
  await attempt('validate', () => ComputerToolset.validate(modern));
  await attempt('aborted', () =>
    computer.execute(modern, { signal: AbortSignal.abort(new RangeError('mine')) }),
  );
  await attempt('overlapping', async () => {
    const first = computer.execute(modern);
    await attempt('second', () => computer.execute(modern));
    return first;
  });

  const message = {
    id: 'm1',
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'done', annotations: [] }],
  };
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x', new: 1 };
  const compaction = { type: 'compaction', id: 'cmp_1', encrypted_content: 'y' };
  const responseOf = (id, output, fields) => ({ id, status: 'completed', output, ...fields });
  const client = (...responses) => ({
    _options: {},
    responses: {
      async create(body, options) {
        note('request', body, options === undefined);
        const next = responses.shift();
        if (next instanceof Error) throw next;
        return next;
      },
    },
  });
  const task = (name, responses, options, params) =>
    attempt(name, async () => {
      const given = { model: 'm', input: 'go', ...params };
      return (await computer.run(client(...responses), given, options)).id;
    });
  const turns = () => [
    responseOf('r1', [reasoning, call([click], { pending_safety_checks: [CHECK], new: [1] })]),
    responseOf('r2', [compaction, call([{ type: 'wait' }])]),
    responseOf('r3', [message]),
  ];
  await task('run', turns(), consent);
  await task('run with a forced choice', turns(), consent, { tool_choice: 'required' });
  await task('run with a declared computer', turns(), consent, {
    tools: [{ type: 'computer' }],
    include: ['web_search_call.results'],
    input: [{ role: 'user', content: 'go' }],
  });
  await task('run out of steps', turns(), { ...consent, maxSteps: 2 });
  await task('run without consent', turns());
  await task('run with a failing driver', [responseOf('r', [call([{ ...click, x: 13 }])])]);
  await task('run with a failing client', [new RangeError('offline')]);
  await task('run without a message', [responseOf('r', [])]);
  await task('run with another tool', [], {}, { tools: [{ type: 'web_search' }] });
  await task('run with a stream', [], {}, { stream: true });
  await task('run with no steps', [], { maxSteps: 0 });
  await task('run with a body', [], { requestOptions: { body: {} } });
  await task('run aborted', [], { signal: AbortSignal.abort(new RangeError('mine')) });

  const runner = new ResponsesToolRunner({ computer });
  const mixed = async (name, responses, options, params) => {
    try {
      const given = { model: 'm', input: 'go', ...params };
      note(name, (await runner.run(client(...responses), given, options)).id);
    } catch (error) {
      const isStop = error instanceof ResponsesToolRunnerError;
      const ids = isStop ? [error.attemptedCallIds, error.completedCallIds] : [];
      note(name, isStop ? 'stopped' : 'refused', error instanceof TypeError, ...ids);
    }
  };
  await mixed('runner', turns(), { computerOptions: consent });
  await mixed('runner, observed', turns(), {
    computerOptions: { ...consent, onDiagnostic: undefined },
    onDiagnostic: consent.onDiagnostic,
  });
  await mixed('runner without consent', turns());
  await mixed(
    'runner with a server tool',
    [responseOf('r', [message])],
    {},
    {
      tools: [{ type: 'web_search' }],
    },
  );
  await mixed('runner that forces the computer', [], {}, { tool_choice: { type: 'computer' } });
  note('close', runner.close(), computer.close());
  await attempt('call after close', () => computer.execute(modern));
  return seen;
}
