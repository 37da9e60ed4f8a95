import { statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { quoteShellWord } from '../format/shell.js';

/** Why a file cannot be used, and the command that fixes it. */
export interface AccessFix {
  /** The file, or the directory that hides it. */
  readonly path: string;
  readonly isForeign: boolean;
  readonly hint: string;
}

/**
 * Returns why this user cannot use a file; undefined if the fix is unknown. Of the directories above it, considers only
 * those of petstore, and those that another user has created in a directory of this user, as `sudo petstore` does.
 */
export function findAccessFix(path: string, userId: number): AccessFix | undefined {
  for (let candidate = path; candidate !== dirname(candidate); candidate = dirname(candidate)) {
    const stats = tryStat(candidate);
    // Hidden by its directory.
    if (!stats) continue;
    const isForeign = stats.uid !== userId;
    const isOurs = candidate === path || basename(candidate) === 'petstore';
    if (!isOurs && !(isForeign && tryStat(dirname(candidate))?.uid === userId)) return undefined;
    const hint = isForeign
      ? formatChownHint(candidate, { isDirectory: stats.isDirectory() })
      : `run chmod ${stats.isDirectory() ? 700 : 600} ${quoteShellWord(candidate)}`;
    return { path: candidate, isForeign, hint };
  }
  return undefined;
}

/** Returns the hint for a file or directory that belongs to another user, as after `sudo petstore`. */
export function formatChownHint(path: string, { isDirectory = false } = {}): string {
  return `run sudo chown ${isDirectory ? '-R ' : ''}"$(id -un)" ${quoteShellWord(path)}`;
}

function tryStat(path: string) {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
