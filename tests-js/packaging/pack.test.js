/** What `npm pack` puts into the package, and that the package works where it is installed (P-1, P-4). */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const MIB = 1024 * 1024;

/** Every file of the package matches one of these; whatever else appears was packed by accident. */
const ALLOWED = [
  /^(CHANGELOG\.md|LICENSE|README\.md|package\.json)$/,
  /^bindings-node\/dist\/(?:[a-z0-9_-]+\/)*[a-z0-9_-]+(\.d\.ts|\.js)$/,
  /^bindings-node\/native\/native\.[a-z0-9-]+\.node$/,
  /^bindings-node\/native\/native\.(d\.ts|js)$/,
];

/** @type {string} */
let folder;
/** @type {{ filename: string, size: number, files: { path: string, size: number }[] }} */
let pack;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'swingbridge-pack-'));
  const printed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const parsed = JSON.parse(printed);
  [pack] = Array.isArray(parsed) ? parsed : Object.values(parsed);
});

after(() => rmSync(folder, { recursive: true, force: true }));

test('the package holds only what it should', () => {
  const strays = pack.files
    .map(({ path }) => path)
    .filter((path) => !ALLOWED.some((allowed) => allowed.test(path)));
  assert.deepEqual(strays, []);
});

test('every exported file and its types are in the package', () => {
  const packed = new Set(pack.files.map(({ path }) => `./${path}`));
  const targets = Object.values(manifest.exports).flatMap((target) =>
    typeof target === 'string' ? [target] : Object.values(target),
  );
  assert.deepEqual(
    targets.filter((target) => !packed.has(target)),
    [],
  );
});

test('the package brings a native addon and the loader that finds it', () => {
  const paths = pack.files.map(({ path }) => path);
  assert.ok(paths.includes('bindings-node/native/native.js'));
  assert.ok(paths.some((path) => path.endsWith('.node')));
});

test('the package is small', () => {
  assert.ok(statSync(join(folder, pack.filename)).size < 6 * MIB);
});

test('nothing is needed at run time and nothing runs at installation', () => {
  for (const field of ['dependencies', 'optionalDependencies', 'peerDependencies']) {
    assert.equal(manifest[field], undefined, field);
  }
  for (const script of ['preinstall', 'install', 'postinstall', 'prepare']) {
    assert.equal(manifest.scripts[script], undefined, script);
  }
});

test('installed alone in an empty project, every entry imports', () => {
  writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${pack.filename}`], {
    cwd: folder,
    stdio: 'pipe',
  });
  const entries = Object.keys(manifest.exports)
    .filter((entry) => !entry.endsWith('.json'))
    .map((entry) => entry.replace(/^\./, 'swingbridge'));
  const program = `for (const entry of ${JSON.stringify(entries)}) {
    const module = await import(entry);
    if (Object.keys(module).length === 0) throw new Error(entry + ' exports nothing');
  }`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: folder,
    stdio: 'pipe',
  });
});
