import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const repository = join(import.meta.dirname, '../..');

/** What a script that builds a release left in a folder of its own. */
export interface ReleaseBuild {
  readonly output: string;
  /** The runtime of Bun is neither in the cache nor in reach. */
  readonly isMissing: boolean;
  /** Nothing unless the build failed. */
  readonly error: string;
}

/** Builds a release for this machine, which is deleted after the tests of the file. */
export function buildRelease(env: Readonly<Record<string, string>> = {}, flags: readonly string[] = []): ReleaseBuild {
  mkdirSync(join(repository, 'out'), { recursive: true });
  // Inside the repository, since Bun looks for packages there.
  const folder = mkdtempSync(join(repository, 'out/test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }), 300_000);
  const output = join(folder, 'release');
  const args = [
    join(repository, 'release/build.js'),
    `${process.platform}-${process.arch}`,
    '--output',
    output,
    ...flags,
  ];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env: { ...process.env, ...env } });
  const isMissing = /cannot (?:download|build for)/.test(stderr);
  return { output, isMissing, error: status === 0 ? '' : stderr };
}
