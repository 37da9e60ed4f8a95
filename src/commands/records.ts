import type { OutputRecord } from '../cli/command-result.js';
import { isRecord } from '../format/json.js';

/** Any JSON value as records: a list's items, one record, or a value on its own under `value`. */
export function recordsIn(value: unknown): readonly OutputRecord[] {
  if (value === undefined || value === null) return [];
  const items = Array.isArray(value) ? value : [value];
  return items.map((item) => (isRecord(item) ? item : { value: item }));
}

/** Records that are all there already, as the one batch of a view. */
export async function* inOneBatch(
  records: readonly OutputRecord[],
): AsyncIterable<readonly OutputRecord[]> {
  yield records;
}
