import { emptyLedgerEntry, type LedgerEntry, mergeLedgerEntries, type TimeSpan } from './ledger.js';
import { parseLedgerEntry } from './ledger-format.js';

export function getRedisKey(account: string): string {
  return `petstore:ledger:${account}`;
}

/**
 * Lua script that stores a text under KEYS[1] for ARGV[3] milliseconds if the current text is ARGV[1], or empty if the
 * key is missing. Otherwise returns the current text. A value of another type counts as missing.
 */
export const compareAndSet = `
local kept = redis.pcall('GET', KEYS[1])
if type(kept) ~= 'string' then kept = '' end
if kept ~= ARGV[1] then return kept end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return false`;

const hourMs = 3_600_000;

/** Returns how long Redis keeps an entry, in milliseconds: one hour after everything in it has ended. */
export function computeTtlMs({ windows, reservations, block }: LedgerEntry, now: number): number {
  const spans: readonly (TimeSpan & { clockUncertaintyMs?: number; maxJitterMs?: number })[] = [
    ...windows,
    ...reservations,
    ...(block ? [block] : []),
  ];
  const ends = spans.map(
    ({ endsAt, clockUncertaintyMs = 0, maxJitterMs = 0 }) =>
      endsAt + clockUncertaintyMs + maxJitterMs,
  );
  return Math.ceil(Math.max(0, ...ends.map((end) => end - now))) + hourMs;
}

const maxLength = 1_000_000;

/** Parses a text from Redis. Returns undefined if it is not a valid entry. */
export function parseRedisEntry(text: string): LedgerEntry | undefined {
  return text.length <= maxLength ? parseLedgerEntry(text) : undefined;
}

export function parseEntryOrEmpty(text: string): LedgerEntry {
  return parseRedisEntry(text) ?? emptyLedgerEntry;
}

/** Counts the reservations of other processes as sent, since their responses will not be visible. */
export function countOthersAsSent(entry: LedgerEntry, owner: string): LedgerEntry {
  const reservations = entry.reservations.filter((one) => one.owner === owner);
  const others = entry.reservations.filter((one) => one.owner !== owner);
  const sent = others.reduce((sum, { count = 1 }) => sum + count, 0);
  const windows = entry.windows.map((one) => ({ ...one, remaining: one.remaining - sent }));
  return { ...entry, windows, reservations };
}

/** Merges `carried` into an entry. This process's reservations are those of `carried`. */
export function mergeReservations(
  carried: LedgerEntry,
  entry: LedgerEntry,
  owner: string,
  now: number,
): LedgerEntry {
  const own = carried.reservations.filter((one) => one.owner === owner);
  const others = entry.reservations.filter((one) => one.owner !== owner);
  return { ...mergeLedgerEntries(entry, carried, now), reservations: [...others, ...own] };
}
