import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a directory and its missing parents with mode 0700, one at a time: the `recursive` option of Node.js
 * never returns below some file systems (`/proc` on Linux). Other processes may create them at the same time.
 */
export function makeDirectory(path: string, hasParent = false): void {
  // Usually it exists, and this is faster than an EEXIST error.
  if (statSync(path, { throwIfNoEntry: false })) return;
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || hasParent || dirname(path) === path) throw error;
    makeDirectory(dirname(path));
    makeDirectory(path, true);
  }
}
