import { statSync } from 'node:fs';
import { formatShellWord } from '../format/shell.js';

/** Warns if every user of this machine can read the secret in a file. A group may read it, such as that of a service. */
export function warnOfReadableSecret(
  path: string | undefined,
  secret: string,
  { platform, warn }: { readonly platform: string; readonly warn: (message: string) => void },
): void {
  // On Windows, the mode has no meaning.
  if (path === undefined || platform === 'win32') return;
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() && (stats.mode & 0o004) !== 0) {
    warn(`every user of this machine can read ${secret}: run chmod o= ${formatShellWord(path)}`);
  }
}
