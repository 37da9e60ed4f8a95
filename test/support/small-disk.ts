import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

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
