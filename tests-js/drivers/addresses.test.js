/** What a driver opens, shows and reports (B-30, B-32); the cases are those of the core and of Python. */

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';

import { BrowserError } from 'swingbridge';

import { useRig } from './support/rig.js';

const root = new URL('../../', import.meta.url);
const native = await import(new URL('bindings-node/native/native.js', root));
const { addressProblem, pageKind, safeTitle } = native;
const cases = JSON.parse(await readFile(new URL('conformance/addresses.json', root), 'utf8'));
const problems = cases.addresses.flatMap(({ problem, urls }) => urls.map((url) => [url, problem]));
const rig = useRig();

test('addresses are opened or refused with a reason', () => {
  assert.deepEqual(
    problems.map(([url]) => [url, addressProblem(url)]),
    problems,
  );
});

test('pages are shown if their address can be reported', () => {
  for (const [kind, urls] of Object.entries(cases.pages)) {
    for (const url of urls) assert.equal(pageKind(url), kind, JSON.stringify(url));
  }
});

test('titles lose what may be private', () => {
  for (const [title, safe] of cases.titles) assert.deepEqual(safeTitle(title), [safe, false]);
});

test('long titles are cut between characters', () => {
  assert.deepEqual(safeTitle('é'.repeat(512)), ['é'.repeat(512), false]);
  assert.deepEqual(safeTitle(`a${'é'.repeat(512)}`), [`a${'é'.repeat(511)}`, true]);
  assert.deepEqual(safeTitle('😀'.repeat(300)), ['😀'.repeat(256), true]);
});

test('text with unpaired surrogates is no address', () => {
  for (const before of ['', 'http://a', 'http://a/', 'http://a/?', 'http://a/#']) {
    for (const surrogate of ['\ud800', '\udc00', '\udc00\ud800']) {
      assert.equal(addressProblem(before + surrogate), 'The address is malformed.');
      assert.equal(pageKind(before + surrogate), 'refused');
      const replaced = '\ufffd'.repeat(surrogate.length);
      assert.deepEqual(safeTitle(`a${surrogate}b`), [`a${replaced}b`, false]);
    }
  }
});

test('other addresses never reach the browser', async () => {
  // The browser never hears of an address that is refused, so it can have no tab, document or request of it.
  const requested = [];
  rig.context.on('request', (request) => requested.push(request.url()));
  for (const [url, problem] of problems) {
    if (problem === null) continue;
    for (const member of ['navigate', 'new_tab']) {
      await assert.rejects(rig.call(member, { url }), (error) => {
        assert.ok(error instanceof BrowserError);
        assert.equal(error.message, problem);
        return true;
      });
    }
  }
  const { tabs, observation } = await rig.state();
  assert.deepEqual(
    tabs.map(({ url }) => url),
    ['about:blank'],
  );
  assert.ok(observation.changes.every(({ type }) => type === 'navigation_refused'));
  assert.deepEqual(requested, []);
});

test('a page whose address cannot be reported is not shown', async () => {
  // The core refuses a report with such an address as a whole, so one page would end the run.
  const url = 'http://a-.example/';
  const answer = { contentType: 'text/html', body: '<title>planted</title>' };
  await rig.context.route('**', (route) => route.fulfill(answer));
  await rig.call('navigate', { url });
  await rig.until(() => rig.page.url() === url);
  const [tab] = (await rig.state()).tabs;
  assert.deepEqual([tab.title, tab.url], ['', 'about:blank']);
  const types = (await rig.changes()).map(({ type }) => type);
  assert.deepEqual(types, ['navigation', 'navigation_refused']);
  await rig.refuses(/unsupported/, 'read_page', { filter: 'all' });
});

test('no driver judges an address itself', async () => {
  // Two languages' own parsers do not agree, and a good beginning says nothing.
  const judging =
    /new URL\b|canParse|https\?|['"`](https?|chrome-error):\/*['"`]|\burl\b.*\.(startsWith|indexOf|split|slice|test|match)\(/;
  const folder = new URL('bindings-node/ts/drivers/', root);
  const names = await readdir(folder);
  assert.ok(names.length > 10);
  for (const name of names) {
    const lines = (await readFile(new URL(name, folder), 'utf8')).split('\n');
    assert.deepEqual(
      lines.filter((line) => judging.test(line)),
      [],
      name,
    );
  }
  for (const line of ["frame.url().startsWith('x')", "head === 'http://'", '/^https?:/.test(it)']) {
    assert.ok(judging.test(line));
  }
});
