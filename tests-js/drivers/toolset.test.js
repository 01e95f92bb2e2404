import assert from 'node:assert/strict';
import { test } from 'node:test';

import { BrowserToolset } from 'swingbridge';

import { useRig } from './support/rig.js';

const PAGE = `
<title>Form</title><p>Fill me</p>
<form onsubmit="document.title = 'Sent'; return false">
  <label>Name <input></label><label><input type=checkbox> Agree</label><button>Send</button>
</form>`;

const rig = useRig();

test('the toolset takes the driver and all its reports (P-2)', async () => {
  rig.site.pages.set('/page', PAGE);
  const toolset = new BrowserToolset(rig.driver, {
    additionalMembers: ['click_at', 'hover_at', 'set_checked'],
    confirm: () => true,
    urlPolicy: () => true,
  });
  assert.equal(toolset.tools().length, 21);
  let calls = 0;
  const call = async (member, args) => {
    calls += 1;
    const withTab =
      member === 'new_tab' || member === 'list_tabs' ? args : { tab_id: null, ...args };
    const { output } = await toolset.execute({
      type: 'function_call',
      id: `fc_${calls}`,
      call_id: `call_${calls}`,
      name: `browser_${member}`,
      arguments: JSON.stringify(withTab),
      status: 'completed',
    });
    const payload = JSON.parse(output[0].text);
    assert.equal(payload.ok, true, output[0].text);
    return { ...payload, image: output[1] };
  };

  await call('navigate', { url: rig.site.url('/page') });
  const { result } = await call('read_page', { filter: 'all' });
  const refs = Object.fromEntries(result.elements.map(({ label, ref }) => [label, ref]));
  await call('type', { text: 'Ann', target: refs.Name });
  await call('set_checked', { target: refs.Agree, checked: true });
  await call('hover', { target: refs.Send });
  await call('click', { target: refs.Send });
  await call('wait_for', { text: 'Fill me', timeout_ms: 1000 });
  await call('key', { keys: ['Tab'] });
  await call('scroll', { direction: 'down', amount: 10 });
  await call('click_at', { x: 1, y: 1, button: 'left', click_count: 1, keys: [] });
  const { image } = await call('screenshot', {});
  assert.match(image.image_url, /^data:image\/png;base64,/);
  await call('new_tab', { url: null });
  await call('close_tab', { tab_id: 'tab-2' });
  const { state } = await call('list_tabs', {});
  assert.deepEqual(state.tabs, [
    { id: 'tab-1', title: 'Sent', url: rig.site.origin, active: true },
  ]);
});
