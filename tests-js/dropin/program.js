/**
 * A program that was written for the published helpers. Only the two specifiers that it is given
 * differ; it returns everything that it saw.
 */
export async function program(browserHelper, runnerHelper) {
  const { BrowserToolset, BrowserError, BROWSER_MEMBERS, DEFAULT_BROWSER_MEMBERS } = await import(
    browserHelper
  );
  const { ResponsesToolRunner, ResponsesToolRunnerError } = await import(runnerHelper);
  const seen = [];
  const note = (...entry) => void seen.push(entry);

  class Page {
    url = 'about:blank';
    state = () => ({
      tabs: [{ id: 't1', title: 'Tables', url: this.url, active: true }],
    });
    async navigate({ url }, { signal }) {
      note('navigate', url, signal);
      this.url = url;
    }
    read_page({ filter }) {
      return {
        version: 1,
        text: `filtered by ${filter}`,
        elements: [
          { ref: 'e1', role: 'combobox', label: 'Day', options: [{ label: 'Monday', value: '1' }] },
          { ref: 'e2', role: 'checkbox', label: 'Window', checked: true },
        ],
        omitted: ['private'],
      };
    }
    click({ target }) {
      if (target === 'e9') throw new BrowserError('e9 is covered');
      if (target === 'e8') throw new Error('internal words');
      note('click', target);
    }
    screenshot = async () => ({
      type: 'input_image',
      image_url: 'data:image/png;base64,AA==',
      detail: 'low',
    });
  }

  const options = {
    urlPolicy: (context, url) => {
      note('policy', context.member, url, context.state.tabs[0].url);
      return new URL(url).hostname === 'example.com';
    },
    confirm: async (context) => {
      note('confirm', context.phase ?? null, context.member, context.arguments, context.call_id);
      return true;
    },
    confirmReads: ['read_page'],
    onDiagnostic: ({ api, stage, reason, member }) =>
      note('diagnostic', api, stage, reason, member),
  };
  const toolset = new BrowserToolset(new Page(), options);
  note(
    'tools',
    toolset
      .tools()
      .map(({ name }) => name)
      .sort(),
  );
  note('members', [...BROWSER_MEMBERS].sort(), [...DEFAULT_BROWSER_MEMBERS].sort());

  let count = 0;
  const call = (member, args, fields) => ({
    type: 'function_call',
    id: `fc_${(count += 1)}`,
    call_id: `call_${count}`,
    name: `browser_${member}`,
    arguments: JSON.stringify(args),
    status: 'completed',
    ...fields,
  });
  const read = ({ output: [text, ...images] }) => {
    const { result = null, error, ...rest } = JSON.parse(text.text);
    // The sentences of the package are its own; the driver's words are not.
    const words = error === undefined || error === 'e9 is covered' ? error : 'a sentence';
    return { ...rest, result, words, images };
  };
  const attempt = async (name, work) => {
    try {
      note(name, await work());
    } catch (error) {
      note(name, 'threw', error instanceof TypeError, error instanceof Error);
    }
  };

  const wire = [
    call('navigate', { url: 'https://example.com/tables?x=1', tab_id: null }),
    call('navigate', { url: 'https://example.com.evil.test/', tab_id: null }),
    call('read_page', { tab_id: null, filter: 'all' }),
    call('click', { target: 'e1', tab_id: null }),
    call('click', { target: 'e9', tab_id: null }),
    call('click', { target: 'e8', tab_id: null }),
    call('click', { target: 5, tab_id: null }),
    call('screenshot', { tab_id: null }),
    call('hover', { target: 'e1', tab_id: null }),
    call('click', { target: 'e1', tab_id: null }, { status: 'incomplete' }),
  ];
  for (const item of wire) {
    await attempt(item.call_id, async () => read(await toolset.execute(item)));
  }
  await attempt('aborted', () =>
    toolset.execute(wire[3], { signal: AbortSignal.abort(new Error('x')) }),
  );
  for (const bad of [
    { members: ['fly'] },
    { members: 'click' },
    { members: [], additionalMembers: [] },
  ]) {
    await attempt(
      'options',
      () => new BrowserToolset(new Page(), { ...options, confirmReads: [], ...bad }).tools().length,
    );
  }

  const functions = [
    {
      tool: {
        type: 'function',
        name: 'free_tables',
        parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
        strict: true,
      },
      execute: async (args) =>
        args.day === 9 ? Promise.reject(new Error('closed')) : `free on ${args.day}`,
    },
  ];
  const message = {
    id: 'm1',
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'done', annotations: [] }],
  };
  const responseOf = (output) => ({
    id: 'r',
    object: 'response',
    status: 'completed',
    output,
    usage: null,
  });
  const runner = new ResponsesToolRunner({ browser: toolset, functions });
  const run = async (responses, runOptions) => {
    const client = {
      _options: {},
      responses: {
        async create(body) {
          note(
            'request',
            body.input.map(({ type, role, output }) => [type ?? role, typeof output]),
            body.tools.length,
          );
          return responses.shift();
        },
      },
    };
    return (await runner.run(client, { model: 'm', input: 'book' }, runOptions)).id;
  };
  const free = (day) => ({ ...call('x', { day }), name: 'free_tables' });
  const stop = async (work) => {
    try {
      return await work();
    } catch (error) {
      return error instanceof ResponsesToolRunnerError
        ? ['stopped', error.attemptedCallIds, error.completedCallIds]
        : ['refused', error instanceof TypeError];
    }
  };
  const turns = () => [
    responseOf([
      free(1),
      call('click', { target: 'e9', tab_id: null }),
      call('click', { target: 'e1', tab_id: null }),
    ]),
    responseOf([call('screenshot', { tab_id: null })]),
    responseOf([message]),
  ];
  note('run', await stop(() => run(turns())));
  note('run out of steps', await stop(() => run(turns(), { maxSteps: 2 })));
  note(
    'run with a failing function',
    await stop(() => run([responseOf([free(1), free(9), free(2)])])),
  );
  note('run with no steps', await stop(() => run([], { maxSteps: 0 })));
  note('run aborted', await stop(() => run([], { signal: AbortSignal.abort() })));
  note('close', runner.close(), toolset.close());
  note('run after close', await stop(() => run(turns())));
  await attempt('call after close', () => toolset.execute(wire[3]));
  return seen;
}
