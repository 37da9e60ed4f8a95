import { existsSync, statSync } from 'node:fs';
import { findNearestParent } from './nearest-parent.js';

/** Returns why petstore cannot write a file or create a directory, and the fix. */
export function explainUnwritable(path: string, cause: unknown): { readonly reason: string; readonly hint: string } {
  const parent = findNearestParent(path, existsSync);
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
