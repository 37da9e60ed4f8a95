import { chmodSync, statSync } from 'node:fs';
import { Failure } from '../failure.js';

/**
 * Looks after a file that holds secrets: one that others can read is made private, and said so; one that
 * others can write, or that is somebody else's, may hold their key and is not used (system).
 */
export function guardSecrets(
  userId: number | undefined,
  notice: (text: string) => void,
): (path: string) => void {
  return (path) => {
    // Windows has no such modes.
    const found = userId === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
    if (!found) return;
    const { mode, uid } = found;
    if (uid !== userId) throw foreign(path, 'belongs to another user', `chown it to yourself`);
    if ((mode & 0o022) !== 0) {
      throw foreign(path, 'can be written by others', `look at it, then chmod 600 ${path}`);
    }
    if ((mode & 0o077) === 0) return;
    chmodSync(path, 0o600);
    notice(`${path} could be read by others; it is private now`);
  };
}

function foreign(path: string, why: string, hint: string): Failure {
  return new Failure('system', { code: 'exposed_credentials', message: `${path} ${why}`, hint });
}
