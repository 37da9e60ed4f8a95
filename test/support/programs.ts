import { spawnSync } from 'node:child_process';
import { accessSync, chmodSync, constants, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import type { TestContext } from 'vitest';

/** Returns whether a program is on the PATH. */
export function isInstalled(program: string): boolean {
  return findProgram(program) !== undefined;
}

/** Returns the path of a program, from PATH or other folders. */
export function findProgram(program: string, ...folders: readonly string[]): string | undefined {
  return [...(process.env.PATH ?? '').split(delimiter), ...folders]
    .map((folder) => join(folder, program))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Returns the npm package with the binary of Node.js for this machine. */
export function nodePackage(version: string): string {
  return `node-${process.platform}-${process.arch}@${version}`;
}

/** Returns the path of another Node.js, installed from npm once; nothing if that fails. */
export function installNode(version: string): string | undefined {
  const cache = join(import.meta.dirname, '../../node_modules/.cache/petstore');
  const folder = join(cache, `node-${version}`);
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    const fresh = mkdtempSync(join(cache, 'new-'));
    // Some tests run it as another user.
    chmodSync(fresh, 0o755);
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save'];
    const args = ['install', ...flags, '--prefix', fresh, nodePackage(version)];
    // Treats a slow registry as a missing package.
    spawnSync('npm', args, { timeout: 120_000 });
    // Renamed atomically, because another test may be looking for it.
    if (existsSync(binaryIn(fresh)) && !existsSync(folder)) renameSync(fresh, folder);
    rmSync(fresh, { recursive: true, force: true });
  }
  return spawnSync(binaryIn(folder), ['--version']).status === 0 ? binaryIn(folder) : undefined;
}

function binaryIn(folder: string): string {
  return join(folder, 'node_modules', nodePackage('').replace('@', ''), 'bin/node');
}

/** Third-party tools that tests run, pinned. They are no dependencies: `npm ci` installs none of them. */
const peers = {
  redocly: ['@redocly/cli@2.77.0'],
  spectral: ['@stoplight/spectral-cli@6.16.3'],
  heyApi: ['@hey-api/openapi-ts@0.95.0', 'typescript@5.9.3'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** An installed tool of others. */
export interface Peer {
  /** Folder whose `node_modules` has the packages. */
  readonly folder: string;
  /** Returns the path of an executable. */
  bin(name: string): string;
}

const cache = join(import.meta.dirname, '../../node_modules/.cache/peers');

/** Installs the packages of a peer into the cache on first use. Skips the test if the npm registry is unreachable. */
export async function installPeer(name: keyof typeof peers, { skip }: Pick<TestContext, 'skip'>): Promise<Peer> {
  const packages = peers[name];
  const folder = join(cache, packages.join('+').replaceAll('/', '-'));
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    const temporary = mkdtempSync(join(cache, '.install-'));
    const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--fetch-retries=1', '--loglevel=error'];
    const install = await execa('npm', ['install', ...flags, '--prefix', temporary, ...packages], { reject: false });
    const isOffline = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED/.test(
      install.stderr,
    );
    // Another test file may have installed the peer meanwhile.
    if (!install.failed && !existsSync(folder)) renameSync(temporary, folder);
    rmSync(temporary, { recursive: true, force: true });
    skip(isOffline && install.failed, `cannot install ${packages.join(', ')}: the npm registry is unreachable`);
    if (install.failed) throw new Error(`cannot install ${packages.join(', ')}: ${install.stderr}`);
  }
  return { folder, bin: (file) => join(folder, 'node_modules/.bin', file) };
}
