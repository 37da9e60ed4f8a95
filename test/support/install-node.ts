import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

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
