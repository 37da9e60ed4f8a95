import type { LedgerEntry } from '../ports/ledger.js';

/** The key of an account's entry, named as its file is. */
export function keyOf(account: string): string {
  return `petstore:ledger:${account}`;
}

/**
 * Sets an entry for so many milliseconds where it still is what was read, a missing one being empty; else answers
 * what is there. What is no text is overwritten as if nothing were there.
 */
export const compareAndSet = `
local kept = redis.pcall('GET', KEYS[1])
if type(kept) ~= 'string' then kept = '' end
if kept ~= ARGV[1] then return kept end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return false`;

const anHour = 3_600_000;

/** How long an entry is worth keeping, in milliseconds: until everything in it is over, and an hour. */
export function lifetimeOf({ windows, reservations, block }: LedgerEntry, now: number): number {
  const ends = [
    ...windows.map(({ until, doubt }) => until + doubt),
    ...reservations.map(({ until }) => until),
    ...(block ? [block.until + block.doubt + block.spread] : []),
  ];
  return Math.ceil(Math.max(0, ...ends.map((end) => end - now))) + anHour;
}
