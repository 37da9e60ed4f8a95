import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Returns why petstore cannot write a file or create a directory, and the fix. */
export function explainUnwritable(path: string, cause: unknown): { readonly reason: string; readonly hint: string } {
  const parent = findNearestParent(path);
  const stats = statSync(parent, { throwIfNoEntry: false });
  if (stats?.isDirectory() === false) {
    return {
      reason: `because ${parent} is not a directory`,
      // A device such as /dev/null must stay.
      hint: `set PETSTORE_CONFIG_DIR to a directory${stats.isFile() ? `, or move ${parent}` : ''}`,
    };
  }
  const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
  return {
    reason: `(${code})`,
    hint: 'check the permissions and free space of the directory, or set PETSTORE_CONFIG_DIR',
  };
}

/** Returns the nearest parent of a path that exists, or the root. */
export function findNearestParent(path: string): string {
  const parent = dirname(path);
  return parent === path || existsSync(parent) ? parent : findNearestParent(parent);
}
