import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory for this user alone, and those above it that are missing; others may be doing so too.
 * One by one, since Node.js's own way of making them all never returns below some file systems (`/proc` on
 * Linux).
 */
export function makeDirectory(path: string): void {
  const trouble = tryMake(path);
  if (trouble?.code === 'ENOENT' && dirname(path) !== path) {
    makeDirectory(dirname(path));
    const again = tryMake(path);
    if (again) throw again;
  } else if (trouble) {
    throw trouble;
  }
}

/** What kept the directory from being made, or nothing where it is there. */
function tryMake(path: string): NodeJS.ErrnoException | undefined {
  try {
    // Mostly it is there, and an error that says so costs more than to look.
    if (statSync(path, { throwIfNoEntry: false })) return undefined;
    mkdirSync(path, { mode: 0o700 });
    return undefined;
  } catch (error) {
    const trouble = error as NodeJS.ErrnoException;
    return trouble.code === 'EEXIST' ? undefined : trouble;
  }
}
