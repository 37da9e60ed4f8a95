import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory for this user alone, and those above it that are missing. One by one, since Node.js's
 * own way of making them all never returns below some file systems (`/proc` on Linux).
 */
export function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    makeDirectory(dirname(path));
    mkdirSync(path, { mode: 0o700 });
  }
}
