import type { SqlRow, SqlValue } from './sql.js';

/**
 * Returns the stored counters plus the requests that were counted in memory since `start`. Meanwhile, another process may
 * have changed or deleted the stored ones.
 */
export function mergeCounters(
  stored: SqlRow | undefined,
  start: SqlRow | undefined,
  counted: SqlRow,
  now: bigint,
): SqlRow {
  const [minuteUsed, minuteEnd] = mergeWindow('minute', stored, start, counted, now);
  const [dayUsed, dayEnd] = mergeWindow('day', stored, start, counted, now);
  const isNewlyBanned = readInteger(counted, 'banned_until') > readInteger(start, 'banned_until');
  const newBanEnd = isNewlyBanned ? readInteger(counted, 'banned_until') : 0n;
  const bannedUntil = max(readInteger(stored, 'banned_until'), newBanEnd);
  return {
    ...counted,
    minute_used: minuteUsed,
    minute_end: minuteEnd,
    day_used: dayUsed,
    day_end: dayEnd,
    banned_until: bannedUntil,
  };
}

/** Returns the sum of two open windows. It ends with the later one, so that the subject gains no quota. */
function mergeWindow(
  name: 'minute' | 'day',
  stored: SqlRow | undefined,
  start: SqlRow | undefined,
  counted: SqlRow,
  now: bigint,
): readonly [used: SqlValue, end: SqlValue] {
  const [usedColumn, endColumn] = [`${name}_used`, `${name}_end`];
  const end = readInteger(counted, endColumn);
  const isSameAsStart = readInteger(start, endColumn) === end;
  const added = readInteger(counted, usedColumn) - (isSameAsStart ? readInteger(start, usedColumn) : 0n);
  const [storedUsed, storedEnd] = [readInteger(stored, usedColumn), readInteger(stored, endColumn)];
  if (storedEnd === end) return [storedUsed + added, end];
  if (storedEnd <= now) return [added, end];
  if (end <= now) return [storedUsed, storedEnd];
  return [storedUsed + added, max(storedEnd, end)];
}

function readInteger(row: SqlRow | undefined, column: string): bigint {
  return BigInt(row?.[column] ?? 0);
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
