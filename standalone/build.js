// Compiles petstore with Bun to one file that needs no Node.js.
// `npm run standalone [-- <os>-<arch>...] [--output <folder in the repository>]`
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { collectLicenses } from './licenses.js';
import { installBun, installKeyring, targets } from './runtimes.js';
import { signMacho } from './sign-macho.js';

const repository = join(import.meta.dirname, '..');
const { values, positionals: names } = parseArgs({ allowPositionals: true, options: { output: { type: 'string' } } });
const output = resolve(values.output ?? join(repository, 'out'));
const thisMachine = `${process.platform}-${process.arch}`;

/** Bun contains SQLite. */
const sqlitePackage = '@photostructure/sqlite';

const { optionalDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
const optionalPackages = Object.keys(optionalDependencies).filter((name) => name !== sqlitePackage);

const unknown = [...names, thisMachine].find((name) => !Object.hasOwn(targets, name));
if (unknown !== undefined) {
  console.error(`error: cannot build for ${unknown}\n  hint: choose from ${Object.keys(targets).join(', ')}`);
  process.exit(2);
}
mkdirSync(output, { recursive: true });
for (const target of names.length > 0 ? names : [thisMachine]) build(target);

function build(target) {
  const runtime = installBun(target);
  // Inside the repository, so that packages are found.
  const stage = mkdtempSync(join(output, 'new-'));
  try {
    copyFiles(stage, installKeyring(target));
    copyAssets(join(stage, 'assets'));
    const file = join(output, `petstore-${target}${target.startsWith('win32') ? '.exe' : ''}`);
    execFileSync(installBun(thisMachine), bunArguments(target, file, runtime), {
      cwd: stage,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const inputs = Object.keys(JSON.parse(readFileSync(join(stage, 'inputs.json'), 'utf8')).inputs);
    // Bun skips packages that are not installed.
    const missing = optionalPackages.find((name) => !inputs.some((id) => id.includes(`node_modules/${name}/`)));
    if (missing !== undefined) throw new Error(`the package ${missing} is not installed`);
    writeFileSync(join(output, 'THIRD-PARTY-LICENSES.txt'), collectLicenses(stage, inputs));
    if (target === 'darwin-x64') signMacho(file, 'petstore');
    console.log(file);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** Copies what is compiled: petstore, without its code cache, and the optional packages that load files. */
function copyFiles(stage, keyring) {
  for (const part of ['bin', 'dist', 'package.json']) {
    cpSync(join(repository, part), join(stage, part), { recursive: true });
  }
  copyFileSync(join(import.meta.dirname, 'code-cache.cjs'), join(stage, 'bin/code-cache.js'));
  copyFileSync(join(repository, 'bin/jq-worker.js'), join(stage, 'bin/run-jq.js'));
  copyFileSync(join(import.meta.dirname, 'jq-worker.cjs'), join(stage, 'bin/jq-worker.js'));
  simplifyRuntime(join(stage, 'dist'));
  const keyringPackage = 'node_modules/@napi-rs/keyring';
  cpSync(join(repository, keyringPackage), join(stage, keyringPackage), { recursive: true });
  copyFileSync(keyring, join(stage, keyringPackage, 'keyring.node'));
  // Its own loader also looks for packages in the working directory, which anybody may have written.
  writeFileSync(join(stage, keyringPackage, 'index.js'), "module.exports = require('./keyring.node');\n");
}

/**
 * Makes every copied property of a module enumerable. To find out which ones are, the runtime of rolldown reads the
 * descriptors of `process`. Bun creates stdin for that, which fails on a terminal whose working directory was deleted.
 */
function simplifyRuntime(dist) {
  const name = readdirSync(dist).find((file) => file.startsWith('rolldown-runtime-'));
  const code = readFileSync(join(dist, name), 'utf8');
  const simpler = code.replace(/enumerable:!\((\w)=\w\(\w,\w\)\)\|\|\1\.enumerable/, 'enumerable:!0');
  if (simpler === code) throw new Error(`${name} does not copy the properties of a module as expected`);
  writeFileSync(join(dist, name), simpler);
}

/** Copies the files that the program reads when it runs. Bun puts each folder beside the program. */
function copyAssets(assets) {
  mkdirSync(join(assets, 'bin'), { recursive: true });
  copyFileSync(join(repository, 'node_modules/jq-web/jq.wasm'), join(assets, 'bin/jq.wasm'));
  cpSync(join(repository, 'man'), join(assets, 'man'), { recursive: true });
  const isAsset = (path) => !/\.cjs$|LICENSES\.txt$/.test(path);
  cpSync(join(repository, 'dist'), join(assets, 'dist'), { recursive: true, filter: isAsset });
}

function bunArguments(target, file, runtime) {
  return [
    ...['build', '--compile', '--bytecode', '--root', '.', '--outfile', file, '--compile-executable-path', runtime],
    `--target=bun-${target.replace('win32', 'windows')}`,
    // Most commands end before code that runs faster has paid for its compilation (code-cache.cjs).
    '--compile-jit-policy=20',
    // With any argument, Bun starts in a directory that was deleted. This one has no effect: no package is missing.
    '--compile-exec-argv=--no-install',
    // A file in the working directory must not set variables such as PETSTORE_BASE_URL.
    ...['--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig'],
    ...['--define', '__dirname=globalThis.moduleDirectory'],
    // Bun would write the path of the stage, which differs between builds.
    ...['--define', '__filename="/petstore.cjs"'],
    ...['--external', `${sqlitePackage}/*`],
    ...['bin', 'dist', 'man'].flatMap((folder) => ['--asset', `assets/${folder}`]),
    '--metafile=inputs.json',
    ...['bin/petstore.js', 'bin/jq-worker.js'],
  ];
}
