import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The npm package that holds the binary of Node.js for this machine. */
export function nodePackage(version: string): string {
  return `node-${process.platform}-${process.arch}@${version}`;
}

/** The path of the binary of another Node.js, from npm the first time; nothing where it cannot be had. */
export function nodeOf(version: string): string | undefined {
  const cache = join(import.meta.dirname, '../../node_modules/.cache/petstore');
  const folder = join(cache, `node-${version}`);
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    const fresh = mkdtempSync(join(cache, 'new-'));
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save'];
    const args = ['install', ...flags, '--prefix', fresh, nodePackage(version)];
    // A registry that is slow is one that does not have it.
    spawnSync('npm', args, { timeout: 120_000 });
    // Whole or not at all: another test may be looking for it.
    if (existsSync(binaryIn(fresh)) && !existsSync(folder)) renameSync(fresh, folder);
    rmSync(fresh, { recursive: true, force: true });
  }
  return spawnSync(binaryIn(folder), ['--version']).status === 0 ? binaryIn(folder) : undefined;
}

function binaryIn(folder: string): string {
  return join(folder, 'node_modules', nodePackage('').replace('@', ''), 'bin/node');
}
