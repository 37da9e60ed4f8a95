import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Environment } from '../config/environment.js';
import type { Paths } from '../config/paths.js';

/**
 * Moves state and data from `%APPDATA%`, where earlier releases saved them, to the current paths. Existing files stay
 * as they are. Calls `onError` with the old path of each file that cannot be moved.
 */
export function moveWindowsData(paths: Paths, { APPDATA }: Environment, onError: (path: string) => void): void {
  if (!APPDATA) return;
  const { quota, imports, sandbox, served } = paths;
  for (const path of [quota, imports, sandbox, served, `${served}-wal`, `${served}-shm`]) {
    const earlier = join(APPDATA, 'petstore', basename(path));
    if (earlier === path || existsSync(path) || !existsSync(earlier)) continue;
    try {
      mkdirSync(dirname(path), { recursive: true });
      renameSync(earlier, path);
    } catch {
      onError(earlier);
    }
  }
}
