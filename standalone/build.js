// Compiles petstore with Bun to one file that needs no Node.js. `npm run standalone [-- <os>-<cpu>...]`
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const targets = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64'];
const repository = join(import.meta.dirname, '..');
const thisMachine = `${process.platform}-${process.arch}`;

const names = process.argv.length > 2 ? process.argv.slice(2) : [thisMachine];
const unknown = [...names, thisMachine].find((name) => !targets.includes(name));
if (unknown !== undefined) {
  console.error(`error: cannot build for ${unknown}\n  hint: choose from ${targets.join(', ')}`);
  process.exit(2);
}
const output = join(repository, 'out');
mkdirSync(output, { recursive: true });
const bun = findBun(installRuntime(thisMachine));
for (const target of names) {
  const packages = installRuntime(target);
  const file = join(output, `petstore-${target}${target.startsWith('win32') ? '.exe' : ''}`);
  const script = join(import.meta.dirname, 'compile.js');
  execFileSync(bun, [script, target, packages, findBun(packages), file], { stdio: ['ignore', 'ignore', 'inherit'] });
  console.log(file);
}

/** Installs Bun and the keyring of a target, in the versions of package-lock.json. Returns the folder of the packages. */
function installRuntime(target) {
  const folder = join(repository, 'node_modules/.cache/petstore', `standalone-${target}`);
  cpSync(import.meta.dirname, folder, { recursive: true });
  const [os, cpu] = target.split('-');
  const flags = [`--os=${os}`, `--cpu=${cpu}`, '--libc=glibc', '--ignore-scripts', '--no-audit', '--no-fund'];
  const options = { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' };
  execFileSync('npm', ['install', '--prefer-offline', ...flags], options);
  return join(folder, 'node_modules');
}

function findBun(packages) {
  const folder = join(packages, '@oven');
  return join(
    folder,
    readdirSync(folder, { recursive: true }).find((name) => /[\\/]bun(\.exe)?$/.test(name)),
  );
}
