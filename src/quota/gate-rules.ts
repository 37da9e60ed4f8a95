import type { Quota } from '../api/rate-limit-headers.js';
import {
  type Block,
  endOf,
  fromNow,
  type LedgerEntry,
  type Reservation,
  type Window,
} from './ledger.js';
import type { Told } from './rate-limit-info.js';

/** What stands in a request's way, and until when; a turn is over as soon as another's answer is there. */
export interface Obstacle {
  readonly reason: 'block' | 'window' | 'turn';
  /** Milliseconds since the Unix epoch. */
  readonly until: number;
  /** By how much longer this one waits, since clocks differ, and so that not all come at once; in milliseconds. */
  readonly margin: number;
}

/**
 * What keeps a request from being sent now; nothing where it may go. While the service refuses, none goes;
 * no more go than are left in every window that is known; and where nothing is known of the window that runs
 * (the first request of all, after a reset, after a refusal) one goes and the others wait for its answer.
 * `luck`, from 0 to 1, spreads those who wait for a block.
 */
export function findObstacle(entry: LedgerEntry, now: number, luck: number): Obstacle | undefined {
  const { block, windows, reservations } = entry;
  const blockedUntil = block ? endOf(block, now) : 0;
  const margin = block ? block.doubt + luck * block.spread : 0;
  if (now < blockedUntil + margin) return { reason: 'block', until: blockedUntil, margin };
  const open = windows.filter((window) => isOpen(window, now));
  const used = open.filter(({ remaining }) => remaining <= 0);
  if (used.length > 0) return { reason: 'window', ...surelyOver(used, now) };
  const isUncertain =
    entry.refusals > 0 || open.length < windows.length || (windows.length === 0 && !entry.silent);
  const isFull = open.some(({ remaining }) => remaining <= countOf(reservations));
  if (reservations.length > 0 && (isUncertain || isFull)) {
    return { reason: 'turn', until: latest(reservations, now), margin: 0 };
  }
  return undefined;
}

/** The entry with one more request under way. */
export function reserve(entry: LedgerEntry, reservation: Reservation): LedgerEntry {
  return { ...entry, reservations: [...entry.reservations, reservation] };
}

/** The entry without a request that was never sent. */
export function giveBack(entry: LedgerEntry, { id }: Reservation): LedgerEntry {
  return { ...entry, reservations: entry.reservations.filter((other) => other.id !== id) };
}

/** The entry after a request that may have reached the service and got no answer: it counts as sent. */
export function countLost(entry: LedgerEntry, reservation: Reservation): LedgerEntry {
  const rest = giveBack(entry, reservation);
  return { ...rest, windows: rest.windows.map((window) => less(window, reservation.count)) };
}

/** How many requests are under way. */
export function countOf(reservations: readonly Reservation[]): number {
  return reservations.reduce((sum, { count = 1 }) => sum + count, 0);
}

/**
 * The entry as it stands now: without requests that must be over (those past their time, and those of processes
 * that ended), and with nothing that began later than now, which a clock that was set back leaves behind.
 */
export function sweep(
  entry: LedgerEntry,
  now: number,
  hasEnded: (owner: string) => boolean,
): LedgerEntry {
  const current = anew(entry, now);
  return current.reservations
    .filter((one) => one.until <= now || isEndless(one) || hasEnded(one.owner))
    .reduce(countLost, current);
}

/** No request lasts for more than the longest `--timeout`, a day. */
function isEndless({ since, until }: Reservation): boolean {
  return until - since > 86_500_000;
}

function anew(entry: LedgerEntry, now: number): LedgerEntry {
  const { block, windows, reservations } = entry;
  const spans = [...windows, ...reservations, ...(block ? [block] : [])];
  if (spans.every(({ since }) => since <= now)) return entry;
  return {
    ...entry,
    ...(block && { block: fromNow(block, now) }),
    windows: windows.map((window) => fromNow(window, now)),
    reservations: reservations.map((reservation) => fromNow(reservation, now)),
  };
}

/** The entry after an answer. */
export function learn(entry: LedgerEntry, reservation: Reservation, told: Told): LedgerEntry {
  const { status, isRefusal, quota, now } = told;
  const says = Object.keys(quota).length > 0;
  // A service that fails may not have counted, and its recovery is not to be met by all at once.
  if (status >= 500 && !says) return countLost(entry, reservation);
  // Answers that refuse requests which were under way together are one refusal.
  const isNews = reservation.refusals === entry.refusals;
  const base = {
    ...giveBack(entry, reservation),
    ...((isRefusal || says) && {
      quota: withFewest(entry.quota, quota),
      seenAt: now,
    }),
  };
  if (isRefusal) {
    const refusals = isNews ? entry.refusals + 1 : Math.max(1, entry.refusals);
    // A window that is used up holds no longer than the refusal says.
    const windows = entry.windows.filter(({ remaining }) => remaining > 0);
    return { ...base, windows, refusals, block: later(entry.block, blockOf(told, refusals), now) };
  }
  const { block, ...rest } = base;
  const isOver = block === undefined || (isNews && endOf(block, now) <= now);
  const windows = measured(entry.windows, reservation, told);
  return {
    ...rest,
    ...(!isOver && { block }),
    windows,
    silent: windows.length === 0,
    refusals: isNews ? 0 : entry.refusals,
  };
}

/** Resets are told in whole seconds, by clocks that run apart a little. */
const sameReset = 2_000;

/** How a service's clock differs is told only as closely as an answer is quick; no window is as short as this. */
const sameWindow = 30_000;

/** The windows after an answer: what it told of one, and one request less in the others. */
function measured(
  windows: readonly Window[],
  reservation: Reservation,
  { quota: { limit = 0, remaining, resetAt }, doubt, now }: Told,
): readonly Window[] {
  const since = Math.min(reservation.since, now);
  // The answer is fresher than a window that was over when it was asked for.
  const open = windows.filter((window) => isOpen(window, since));
  if (remaining === undefined || resetAt === undefined) return open.map((one) => less(one));
  const told: Window = { limit, remaining, since: now, until: resetAt, doubt };
  const isToldOf = (one: Window) => one.limit === limit || areNear(one, told, sameReset);
  // One that was used up when this was asked for would have refused it.
  const others = open
    .filter((one) => !isToldOf(one) && (one.remaining > 0 || since < one.since))
    .map((one) => less(one));
  const before = open.find(isToldOf);
  if (!before) return [...others, told];
  // An answer to what was asked before may come after one that tells of the window that follows.
  if (since < before.since && resetAt < before.until - sameWindow) return [...others, less(before)];
  const isSame = before.limit === limit && areNear(before, told, sameWindow);
  return [...others, isSame ? merged(before, told) : told];
}

function isOpen(window: Window, now: number): boolean {
  return endOf(window, now) + window.doubt > now;
}

function merged(before: Window, told: Window): Window {
  const remaining = Math.min(before.remaining, told.remaining);
  const doubt = before.until === told.until ? Math.min(before.doubt, told.doubt) : told.doubt;
  return { ...told, remaining, doubt };
}

function areNear(one: Window, other: Window, tolerance: number): boolean {
  return Math.abs(one.until - other.until) <= tolerance;
}

function less(window: Window, count = 1): Window {
  return { ...window, remaining: window.remaining - count };
}

/** The quota to show: within a window the lower count holds, since answers may come out of order. */
function withFewest(before: Quota, quota: Quota): Quota {
  const isSame = before.limit === quota.limit && before.resetAt === quota.resetAt;
  if (!isSame || before.remaining === undefined || quota.remaining === undefined) return quota;
  return { ...quota, remaining: Math.min(before.remaining, quota.remaining) };
}

const leastWait = 1_000;
const leastWaitUntold = 30_000;
const longestBackoff = 3_600_000;

/**
 * How long to send nothing after a refusal: the first time as long as the service said; else also until the
 * reset, and longer with every refusal in a row. What the service said is never shortened.
 */
function blockOf(told: Told, refusals: number): Block {
  const { quota, retryAt, doubt, now } = told;
  const { resetAt = 0 } = quota;
  if (refusals === 1 && retryAt !== undefined) {
    return { since: now, until: Math.max(retryAt, now + leastWait), doubt: 0, spread: 0 };
  }
  const base = retryAt !== undefined || resetAt > now ? leastWait : leastWaitUntold;
  const backoff = Math.min(longestBackoff, base * 2 ** Math.min(refusals - 1, 30));
  const until = Math.max(retryAt ?? 0, resetAt, now + backoff);
  return { since: now, until, doubt, spread: 0.1 * (until - now) + 1_000 };
}

function later(before: Block | undefined, block: Block, now: number): Block {
  return before && endOf(before, now) > endOf(block, now) ? before : block;
}

/** When the last of these windows resets, and by how much later that may be. */
function surelyOver(windows: readonly Window[], now: number): { until: number; margin: number } {
  const until = latest(windows, now);
  const ends = windows.map((window) => endOf(window, now) + window.doubt);
  return { until, margin: Math.max(...ends) - until };
}

function latest(spans: readonly { since: number; until: number }[], now: number): number {
  return Math.max(...spans.map((span) => endOf(span, now)));
}
