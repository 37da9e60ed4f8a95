import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** Creates a folder that is removed after the test. */
export async function makeFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'petstore-test-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Mounts a disk of 2 MB for the tests of a file; returns `undefined` if that is not permitted. */
export function mountSmallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmdirSync(folder);
    return undefined;
  }
  afterAll(() => {
    execFileSync('umount', ['-l', folder]);
    rmdirSync(folder);
  });
  return folder;
}

/**
 * Runs `work` as a user to whom file modes apply, if this user is root. Files that it opens and makes are those of that
 * user. The directory of the checkout may be closed to that user, so `work` must not import modules.
 */
export async function withoutRoot<Result>(work: () => Promise<Result>): Promise<Result> {
  if (process.getuid?.() !== 0) return work();
  process.seteuid?.(12_345);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
