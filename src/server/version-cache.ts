import type { Database } from './sql.js';

/**
 * Returns a function that caches what `load` returns. The one rule: a value that was read is valid until `version` of the database
 * changes, which each `write` does, and each commit of another process; counters are never cached. A database without a
 * version caches nothing, and neither do values that `isCacheable` rules out.
 */
export function createVersionCache<Value>(
  { version }: Database,
  load: (key: string) => Promise<Value>,
  { maxEntries, isCacheable }: { readonly maxEntries: number; readonly isCacheable: (value: Value) => boolean },
): (key: string) => Promise<Value> {
  if (!version) return load;
  const values = new Map<string, Value>();
  let cachedVersion = version();
  return async (key) => {
    const current = version();
    if (current !== cachedVersion) values.clear();
    cachedVersion = current;
    const cached = values.get(key);
    if (cached !== undefined) return cached;
    const value = await load(key);
    if (isCacheable(value) && version() === current && cachedVersion === current) {
      if (values.size >= maxEntries) values.clear();
      values.set(key, value);
    }
    return value;
  };
}
