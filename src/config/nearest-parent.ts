import { dirname } from 'node:path';

/** Returns the nearest parent of a path that exists, or the root. */
export function findNearestParent(path: string, exists: (path: string) => boolean): string {
  const parent = dirname(path);
  return parent === path || exists(parent) ? parent : findNearestParent(parent, exists);
}
