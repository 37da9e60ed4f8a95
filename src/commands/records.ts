import type { OutputRecord } from '../cli/command-result.js';
import { isRecord } from '../format/json.js';

/** Returns a JSON value as records: the items of a list, one object, or `{ value }` for anything else. */
export function toRecords(value: unknown): readonly OutputRecord[] {
  if (value === undefined || value === null) return [];
  const items = Array.isArray(value) ? value : [value];
  return items.map((item) => (isRecord(item) ? item : { value: item }));
}
