import type { Quota } from '../api/rate-limit-headers.js';

/** A window that the service told of. Times here are in milliseconds since the Unix epoch, by our clock. */
export interface Window {
  readonly limit: number;
  /** The fewest requests left that the service told of in this window. */
  readonly remaining: number;
  /** When it was told. */
  readonly since: number;
  /** When it resets. */
  readonly until: number;
  /** By how much later it may reset, since clocks differ; in milliseconds. */
  readonly doubt: number;
}

/** Requests that may be under way, counted before they are sent. */
export interface Reservation {
  readonly id: string;
  /** How many; one unless it says more. */
  readonly count?: number;
  /** The process that sends it, as the ledger knows it. */
  readonly owner: string;
  readonly since: number;
  /** When it is over at the latest. */
  readonly until: number;
  /** How many refusals in a row were known when it was sent. */
  readonly refusals: number;
}

/** The time until which the service refuses. */
export interface Block {
  readonly since: number;
  readonly until: number;
  /** By how much later it may end, since clocks differ; in milliseconds. */
  readonly doubt: number;
  /** By how much more at most whoever waits shall wait, so that not all come at once; in milliseconds. */
  readonly spread: number;
}

/** What is known of the quota of one key, whichever process learnt it. */
export interface LedgerEntry {
  /** What the service last said, and when. */
  readonly quota: Quota;
  readonly seenAt: number;
  readonly windows: readonly Window[];
  readonly reservations: readonly Reservation[];
  readonly block?: Block;
  /** Answers in a row that refused for the quota. */
  readonly refusals: number;
  /** The service has answered without telling of any window. */
  readonly silent: boolean;
}

/** What becomes of an entry, and what whoever asked for that is told. */
export type Edit<Result> = (entry: LedgerEntry) => readonly [entry: LedgerEntry, result: Result];

/**
 * The quotas seen by the processes that share it: this user's, or those of several machines. By origin and a digest of
 * the key.
 */
export interface Ledger {
  /** Names this process to the others. */
  readonly owner: string;
  /** True for the name of a process that is known to have ended. */
  hasEnded(owner: string): boolean;
  find(account: string): Promise<LedgerEntry | undefined>;
  /**
   * Replaces an entry by what `edit` makes of it, while no other process does; where one did, it is made again.
   * Never rejects: where nothing can be kept, it is remembered in this process.
   */
  update<Result>(account: string, edit: Edit<Result>): Promise<Result>;
  /** Resolves once every update is kept. */
  settled(): Promise<void>;
}

/**
 * When a span of time is over. Where the clock now stands before its beginning, the clock was set back, and
 * its length counts anew from now.
 */
export function endOf({ since, until }: { since: number; until: number }, now: number): number {
  return now < since ? now + until - since : until;
}

/** A span as it is to be kept: one that began after now has its length from now, once and for all. */
export function fromNow<Span extends { since: number; until: number }>(
  span: Span,
  now: number,
): Span {
  return span.since <= now ? span : { ...span, since: now, until: endOf(span, now) };
}

/** Until when nothing is sent; nothing where requests may go. */
export function usedUpUntil({ block, windows }: LedgerEntry, now: number): number | undefined {
  const used = windows.filter(({ remaining }) => remaining <= 0);
  const until = Math.max(0, ...[...used, ...(block ? [block] : [])].map((one) => endOf(one, now)));
  return until > now ? until : undefined;
}

/** An account of which nothing is known. */
export const unknownEntry: LedgerEntry = {
  quota: {},
  seenAt: 0,
  windows: [],
  reservations: [],
  refusals: 0,
  silent: false,
};

/** What two know of an account, whoever has learned it last; the reservations are those of the newer one. */
export function merge(kept: LedgerEntry, view: LedgerEntry, now: number): LedgerEntry {
  const [newer, older] = view.seenAt >= kept.seenAt ? [view, kept] : [kept, view];
  const extra = older.windows.filter(
    (one) => endOf(one, now) > now && !newer.windows.some((other) => other.limit === one.limit),
  );
  const windows = newer.windows.map((one) => fewest(one, older.windows));
  const lasts = (block: Block | undefined) => block !== undefined && endOf(block, now) > now;
  const blocks = [newer.block, lasts(older.block) ? older.block : undefined];
  const block = blocks.reduce(
    (last, one) => (last && (!one || last.until > one.until) ? last : one),
    undefined,
  );
  const { block: _, ...rest } = newer;
  return { ...rest, windows: [...windows, ...extra], ...(block && { block }) };
}

function fewest(window: Window, others: readonly Window[]): Window {
  const same = others.find(({ limit, until }) => limit === window.limit && until === window.until);
  return same && same.remaining < window.remaining ? same : window;
}

export interface LedgerState {
  /** Its address, without user and password. */
  readonly place: string;
  /** Milliseconds until it answered. */
  readonly answeredIn?: number;
  /** Why it cannot be used. */
  readonly problem?: string;
}
