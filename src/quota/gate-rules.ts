import { classifyWindow } from '../api/rate-limit-headers.js';
import { minuteMs } from '../clock.js';
import {
  filterReservations,
  findSpanEnd,
  type LedgerEntry,
  type RateLimitBlock,
  type RateLimitWindow,
  type Reservation,
  type TimeSpan,
} from './ledger.js';

/** Why a request may not be sent yet. A probe in flight ends with its response, at `endsAt` at the latest. */
export interface Obstacle {
  readonly reason: 'block' | 'window' | 'probe-in-flight';
  /** Milliseconds since the Unix epoch. */
  readonly endsAt: number;
  /** The extra wait for clock uncertainty and jitter, in milliseconds. */
  readonly marginMs: number;
  /** The limit of a window whose remaining requests are all reserved. */
  readonly reservedLimit?: number;
  /** The limit of the day's quota, if it is used up. */
  readonly dayLimit?: number;
}

/**
 * Returns why a request may not be sent now, or undefined if it may. Three rules hold. A block stops all requests.
 * No known window gets more requests than it has remaining. If the current window is unknown (first request, after
 * a reset, after a rate-limited response), one request is the probe, and the others wait for its response.
 * `jitter` is between 0 and 1. `reserve` requests of each window are left. The entry must be current: call
 * `removeExpired` first.
 */
export function findObstacle(entry: LedgerEntry, now: number, jitter: number, reserve = 0): Obstacle | undefined {
  const { block, windows, reservations } = entry;
  if (block) {
    const { endsAt } = block;
    const marginMs = block.clockUncertaintyMs + jitter * block.maxJitterMs;
    if (now < endsAt + marginMs) return { reason: 'block', endsAt, marginMs, ...findBlockedDay(entry, block) };
  }
  const open = windows.filter((window) => isWindowOpen(window, now));
  const exhausted = open.filter(({ remaining }) => remaining <= reserve);
  if (exhausted.length > 0) {
    const endsAt = Math.max(...exhausted.map((one) => one.endsAt));
    const latest = Math.max(...exhausted.map((one) => one.endsAt + one.clockUncertaintyMs));
    const isReserved = exhausted.every(({ remaining }) => remaining > 0);
    const reservedLimit = Math.min(...exhausted.map(({ limit }) => limit || Number.POSITIVE_INFINITY));
    const day = exhausted.find(isUsedUpDay);
    const details = isReserved ? { reservedLimit } : day && { dayLimit: day.limit };
    return { reason: 'window', endsAt, marginMs: latest - endsAt, ...details };
  }
  const isReserved = open.some(({ remaining }) => remaining - reserve <= countReserved(reservations));
  if (reservations.length > 0 && (isReserved || isQuotaUnknown(entry, now))) {
    const endsAt = Math.max(...reservations.map((one) => one.endsAt));
    return { reason: 'probe-in-flight', endsAt, marginMs: 0 };
  }
  return undefined;
}

/**
 * Returns when a diagnosis may be sent despite an obstacle, in milliseconds since the Unix epoch: the service may have
 * raised the limit. It is sent at once in an exhausted window, but only once per minute after a 429 for the day's quota.
 * Returns undefined if it must not be sent.
 */
export function findDiagnosisTime({ seenAt }: LedgerEntry, obstacle: Obstacle): number | undefined {
  const { reason, reservedLimit, dayLimit } = obstacle;
  if (reason === 'window') return reservedLimit === undefined ? 0 : undefined;
  return reason === 'block' && dayLimit !== undefined ? seenAt + minuteMs : undefined;
}

/** The longest wait for a window of a minute, in milliseconds: resets and dates are in whole seconds. */
const maxMinuteWaitMs = minuteMs + 3_000;

/** Returns whether a request waits for the end of an obstacle; otherwise it fails. */
export function mayWait(reason: Obstacle['reason'], waitMs: number, maxWaitMs: number): boolean {
  if (reason === 'probe-in-flight' || waitMs <= maxWaitMs) return true;
  if (reason !== 'window' || maxWaitMs === 0) return false;
  // Resets are in whole seconds, so a wait may seem up to a second longer.
  if (Math.floor(waitMs / 1000) * 1000 <= maxWaitMs) return true;
  return maxWaitMs >= minuteMs && waitMs <= maxMinuteWaitMs;
}

/** Returns whether the window is that of the day and used up. A limit of 0 means unknown. */
function isUsedUpDay({ limit, remaining, startedAt, endsAt }: RateLimitWindow): boolean {
  return remaining <= 0 && limit > 0 && classifyWindow(endsAt, startedAt) === 'day';
}

/** Resets are reported in whole seconds, and clocks drift. In milliseconds. */
export const resetToleranceMs = 2_000;

/** Returns the limit of the day's quota if the block lasts until that quota resets. */
function findBlockedDay({ quota }: LedgerEntry, { startedAt, endsAt }: RateLimitBlock): Pick<Obstacle, 'dayLimit'> {
  const { limit = 0, remaining, resetAt = 0 } = quota;
  const isDay = classifyWindow(resetAt, startedAt) === 'day' && Math.abs(resetAt - endsAt) <= resetToleranceMs;
  return remaining === 0 && limit > 0 && isDay ? { dayLimit: limit } : {};
}

/** Returns true if a probe must find out how many requests remain. */
export function isQuotaUnknown(entry: LedgerEntry, now: number): boolean {
  const { windows, rateLimitedStreak, noQuotaHeaders } = entry;
  const hasEnded = windows.some((window) => !isWindowOpen(window, now));
  return rateLimitedStreak > 0 || hasEnded || (windows.length === 0 && !noQuotaHeaders);
}

export function addReservation(entry: LedgerEntry, reservation: Reservation): LedgerEntry {
  return { ...entry, reservations: [...entry.reservations, reservation] };
}

/** Removes the reservation of a request that was never sent. */
export function releaseReservation(entry: LedgerEntry, { id }: Reservation): LedgerEntry {
  return filterReservations(entry, (other) => other.id !== id);
}

/** Counts a request without a response as sent, since it may have reached the service. */
export function countAsSent(entry: LedgerEntry, reservation: Reservation): LedgerEntry {
  const { quota, windows, ...rest } = releaseReservation(entry, reservation);
  const { count = 1 } = reservation;
  const { remaining } = quota;
  return {
    ...rest,
    // Unlike the windows, it is printed.
    quota: remaining === undefined ? quota : { ...quota, remaining: Math.max(0, remaining - count) },
    windows: windows.map((one) => decrement(one, count)),
  };
}

export function countReserved(reservations: readonly Reservation[]): number {
  return reservations.reduce((sum, { count = 1 }) => sum + count, 0);
}

/** No request lasts longer than a day, the longest `--timeout`, and a short time to settle. In milliseconds. */
const maxReservationMs = 86_500_000;

/** Counts expired reservations and those of ended processes as sent. Rebases the entry if the clock was set back. */
export function removeExpired(entry: LedgerEntry, now: number, hasEnded: (owner: string) => boolean): LedgerEntry {
  const current = rebaseOnClock(entry, now);
  const isExpired = ({ startedAt, endsAt, owner }: Reservation) =>
    endsAt <= now || endsAt - startedAt > maxReservationMs || hasEnded(owner);
  return current.reservations.filter(isExpired).reduce(countAsSent, current);
}

function rebaseOnClock(entry: LedgerEntry, now: number): LedgerEntry {
  const { block, windows, reservations } = entry;
  const spans: readonly TimeSpan[] = [...windows, ...reservations, ...(block ? [block] : [])];
  if (spans.every(({ startedAt }) => startedAt <= now)) return entry;
  const rebase = <Span extends TimeSpan>(span: Span): Span =>
    span.startedAt <= now ? span : { ...span, startedAt: now, endsAt: findSpanEnd(span, now) };
  return {
    ...entry,
    ...(block && { block: rebase(block) }),
    windows: windows.map(rebase),
    reservations: reservations.map(rebase),
  };
}

export function isWindowOpen(window: RateLimitWindow, now: number): boolean {
  return window.endsAt + window.clockUncertaintyMs > now;
}

export function decrement(window: RateLimitWindow, count = 1): RateLimitWindow {
  return { ...window, remaining: window.remaining - count };
}
