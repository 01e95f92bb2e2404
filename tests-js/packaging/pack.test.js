/** What `npm pack` puts into the package, and that the package works where it is installed (P-1, P-4). */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
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

test('every exported file, its types and the command are in the package', () => {
  const packed = new Set(pack.files.map(({ path }) => `./${path}`));
  const targets = Object.values(manifest.exports).flatMap((target) =>
    typeof target === 'string' ? [target] : Object.values(target),
  );
  targets.push(...Object.values(manifest.bin).map((target) => `./${target}`));
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

describe('installed alone in an empty project', () => {
  before(() => {
    writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}');
    execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${pack.filename}`], {
      cwd: folder,
      stdio: 'pipe',
    });
  });

  /** Runs a program there and gives its output. */
  const run = (/** @type {string} */ program, /** @type {string[]} */ ...given) =>
    execFileSync(program, given, { cwd: folder, stdio: 'pipe', encoding: 'utf8' });

  test('every entry imports', () => {
    const entries = Object.keys(manifest.exports)
      .filter((entry) => !entry.endsWith('.json'))
      .map((entry) => entry.replace(/^\./, 'swingbridge'));
    const program = `for (const entry of ${JSON.stringify(entries)}) {
      const module = await import(entry);
      if (Object.keys(module).length === 0) throw new Error(entry + ' exports nothing');
    }`;
    run(process.execPath, '--input-type=module', '--eval', program);
  });

  test('the command runs, with a program that uses the package in it (D-8)', () => {
    writeFileSync(join(folder, 'script.yaml'), 'turns: [{ message: from the package }]');
    const program = `import { Client } from 'swingbridge';
      const response = await new Client().responses.create({ model: 'm', input: 'go' });
      console.log(response.output_text);`;
    writeFileSync(join(folder, 'program.js'), program);
    const given = ['rehearse', 'script.yaml', '--', process.execPath, 'program.js'];
    const said = run('npx', '--offline', 'swingbridge', ...given);
    assert.equal(said, 'from the package\n');
  });
});
