import { type LedgerEntry, merge, unknownEntry } from './ledger.js';
import { parseEntry } from './parse-ledger-entry.js';

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

/** What others put there, and what is no entry, is as if nothing were there. */
export function entryOf(text: string): LedgerEntry {
  return parse(text) ?? unknownEntry;
}

/** An entry as it is kept in Redis; nothing where the text is none. */
export function parse(text: string): LedgerEntry | undefined {
  return text.length <= longest ? parseEntry(text) : undefined;
}

const longest = 1_000_000;

/** The requests of others are out of sight from now on: they may all have been sent. */
export function asSent(entry: LedgerEntry, owner: string): LedgerEntry {
  const reservations = entry.reservations.filter((one) => one.owner === owner);
  const others = entry.reservations.filter((one) => one.owner !== owner);
  const sent = others.reduce((sum, { count = 1 }) => sum + count, 0);
  const windows = entry.windows.map((one) => ({ ...one, remaining: one.remaining - sent }));
  return { ...entry, windows, reservations };
}

/** An entry with what is known elsewhere, and with this process's requests as they are known there. */
export function carry(from: LedgerEntry, to: LedgerEntry, owner: string, now: number): LedgerEntry {
  const own = from.reservations.filter((one) => one.owner === owner);
  const others = to.reservations.filter((one) => one.owner !== owner);
  return { ...merge(to, from, now), reservations: [...others, ...own] };
}
