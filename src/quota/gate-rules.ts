import { classifyWindow, mergeQuota } from '../api/rate-limit-headers.js';
import { computeBlock } from './compute-block.js';
import {
  endsWithin,
  filterReservations,
  findSpanEnd,
  mergeWindows,
  pickLaterBlock,
  type QuotaState,
  type RateLimitBlock,
  type RateLimitWindow,
  type Reservation,
  resetToleranceMs,
  type TimeSpan,
} from './quota-state.js';
import type { RateLimitInfo } from './rate-limit-info.js';

/** Why a request may not be sent yet. A probe in flight ends with its response, at `endsAt` at the latest. */
export interface Obstacle {
  readonly reason: 'block' | 'window' | 'probe-in-flight';
  /** Milliseconds since the Unix epoch. */
  readonly endsAt: number;
  /** The extra wait for clock uncertainty and jitter, in milliseconds. */
  readonly marginMs: number;
  /** The limit of the day's quota, if it is used up. */
  readonly dayLimit?: number;
}

/**
 * Returns why a request may not be sent now, or undefined if it may. Three rules hold. A block stops all requests.
 * No known window gets more requests than it has remaining. If the current window is unknown (first request, after
 * a reset, after a rate-limited response), one request is the probe, and the others wait for its response.
 * `jitter` is between 0 and 1. The state must be current: call `removeExpired` first.
 */
export function findObstacle(state: QuotaState, now: number, jitter: number): Obstacle | undefined {
  const { block, windows, reservations } = state;
  if (block) {
    const { endsAt } = block;
    const marginMs = block.clockUncertaintyMs + jitter * block.maxJitterMs;
    if (now < endsAt + marginMs) return { reason: 'block', endsAt, marginMs, ...findBlockedDay(state, block) };
  }
  const open = windows.filter((window) => isWindowOpen(window, now));
  const exhausted = open.filter(({ remaining }) => remaining <= 0);
  if (exhausted.length > 0) {
    const endsAt = Math.max(...exhausted.map((one) => one.endsAt));
    const latest = Math.max(...exhausted.map((one) => one.endsAt + one.clockUncertaintyMs));
    const day = exhausted.find(isUsedUpDay);
    return { reason: 'window', endsAt, marginMs: latest - endsAt, ...(day && { dayLimit: day.limit }) };
  }
  const isReserved = open.some(({ remaining }) => remaining <= reservations.length);
  if (reservations.length > 0 && (isReserved || isQuotaUnknown(state, now))) {
    const endsAt = Math.max(...reservations.map((one) => one.endsAt));
    return { reason: 'probe-in-flight', endsAt, marginMs: 0 };
  }
  return undefined;
}

/** Returns whether the window is that of the day and used up. A limit of 0 means unknown. */
function isUsedUpDay({ limit, remaining, startedAt, endsAt }: RateLimitWindow): boolean {
  return remaining <= 0 && limit > 0 && classifyWindow(endsAt, startedAt) === 'day';
}

/** Returns the limit of the day's quota if the block lasts until that quota resets. */
function findBlockedDay({ quota }: QuotaState, { startedAt, endsAt }: RateLimitBlock): Pick<Obstacle, 'dayLimit'> {
  const { limit = 0, remaining, resetAt = 0 } = quota;
  const isDay = classifyWindow(resetAt, startedAt) === 'day' && Math.abs(resetAt - endsAt) <= resetToleranceMs;
  return remaining === 0 && limit > 0 && isDay ? { dayLimit: limit } : {};
}

/** Returns true if a probe must find out how many requests remain. */
function isQuotaUnknown(state: QuotaState, now: number): boolean {
  const { windows, rateLimitedStreak, noQuotaHeaders } = state;
  const hasEnded = windows.some((window) => !isWindowOpen(window, now));
  return rateLimitedStreak > 0 || hasEnded || (windows.length === 0 && !noQuotaHeaders);
}

export function addReservation(state: QuotaState, reservation: Reservation): QuotaState {
  return { ...state, reservations: [...state.reservations, reservation] };
}

/** Removes the reservation of a request that was never sent. */
export function removeReservation(state: QuotaState, { id }: Reservation): QuotaState {
  return filterReservations(state, (other) => other.id !== id);
}

/** Counts a request without a response as sent, since it may have reached the service. */
export function countAsSent(state: QuotaState, reservation: Reservation): QuotaState {
  const { quota, windows, ...rest } = removeReservation(state, reservation);
  const { remaining } = quota;
  return {
    ...rest,
    // Unlike the windows, it is printed.
    quota: remaining === undefined ? quota : { ...quota, remaining: Math.max(0, remaining - 1) },
    windows: windows.map(decrement),
  };
}

/** No request lasts longer than a day, the longest `--timeout`, and a short time to settle. In milliseconds. */
const maxReservationMs = 86_500_000;

/** Counts expired reservations and those of ended processes as sent. Rebases the state if the clock was set back. */
export function removeExpired(state: QuotaState, now: number, hasEnded: (owner: string) => boolean): QuotaState {
  const current = rebaseOnClock(state, now);
  const isExpired = ({ startedAt, endsAt, owner }: Reservation) =>
    endsAt <= now || endsAt - startedAt > maxReservationMs || hasEnded(owner);
  return current.reservations.filter(isExpired).reduce(countAsSent, current);
}

function rebaseOnClock(state: QuotaState, now: number): QuotaState {
  const { block, windows, reservations } = state;
  const spans: readonly TimeSpan[] = [...windows, ...reservations, ...(block ? [block] : [])];
  if (spans.every(({ startedAt }) => startedAt <= now)) return state;
  const rebase = <Span extends TimeSpan>(span: Span): Span =>
    span.startedAt <= now ? span : { ...span, startedAt: now, endsAt: findSpanEnd(span, now) };
  return {
    ...state,
    ...(block && { block: rebase(block) }),
    windows: windows.map(rebase),
    reservations: reservations.map(rebase),
  };
}

/** Returns the state after the response to a reserved request. */
export function applyResponse(state: QuotaState, reservation: Reservation, info: RateLimitInfo): QuotaState {
  const { status, isRateLimited, quota, hasOtherQuota, receivedAt } = info;
  const hasQuota = Object.keys(quota).length > 0;
  // Counts the request even if the failing service did not, so that not all processes retry at once when it recovers.
  if (status >= 500 && !hasQuota) return countAsSent(state, reservation);
  // Rate-limited responses to requests that were in flight together count once.
  const isSentAfterLast = reservation.rateLimitedStreak === state.rateLimitedStreak;
  const { block, ...base } = {
    ...removeReservation(state, reservation),
    ...((isRateLimited || hasQuota) && {
      quota: mergeQuota(state.quota, quota),
      seenAt: receivedAt,
    }),
  };
  if (isRateLimited) {
    const rateLimitedStreak = isSentAfterLast ? state.rateLimitedStreak + 1 : Math.max(1, state.rateLimitedStreak);
    const newBlock = computeBlock(info, rateLimitedStreak);
    // The block replaces an exhausted window, even if it ends earlier.
    const windows = state.windows.filter(({ remaining }) => remaining > 0);
    return { ...base, windows, rateLimitedStreak, block: pickLaterBlock(block, newBlock, receivedAt) ?? newBlock };
  }
  const isBlockOver = isSentAfterLast && (!block || block.endsAt <= receivedAt);
  const windows = updateWindows(state.windows, reservation, info);
  return {
    ...base,
    ...(block && !isBlockOver && { block }),
    windows,
    noQuotaHeaders: hasOtherQuota ? state.noQuotaHeaders : windows.length === 0,
    rateLimitedStreak: isBlockOver ? 0 : state.rateLimitedStreak,
  };
}

/** A slow response makes the clock skew uncertain. No window is as short as this. In milliseconds. */
const slowResponseToleranceMs = 30_000;

/** Returns the windows after a response: the reported one, and the others with one request less. */
function updateWindows(
  windows: readonly RateLimitWindow[],
  reservation: Reservation,
  info: RateLimitInfo,
): readonly RateLimitWindow[] {
  const { limit = 0, remaining, resetAt } = info.quota;
  const sentAt = Math.min(reservation.startedAt, info.receivedAt);
  // Windows that had ended when the request was sent are out of date.
  const open = windows.filter((one) => isWindowOpen(one, sentAt));
  if (remaining === undefined || resetAt === undefined) return open.map(decrement);
  const reported: RateLimitWindow = {
    limit,
    remaining,
    startedAt: info.receivedAt,
    endsAt: resetAt,
    clockUncertaintyMs: info.clockUncertaintyMs,
  };
  const isReported = (one: RateLimitWindow) => one.limit === limit || endsWithin(one, reported, resetToleranceMs);
  const others = open
    // A window that was exhausted when the request was sent would have rejected it.
    .filter((one) => !isReported(one) && (one.remaining > 0 || sentAt < one.startedAt))
    .map(decrement);
  const knownWindow = open.find(isReported);
  if (!knownWindow) return [...others, reported];
  // A late response may report the previous window.
  if (sentAt < knownWindow.startedAt && resetAt < knownWindow.endsAt - slowResponseToleranceMs) {
    return [...others, decrement(knownWindow)];
  }
  const isSame = knownWindow.limit === limit && endsWithin(knownWindow, reported, slowResponseToleranceMs);
  return [...others, isSame ? mergeWindows(knownWindow, reported) : reported];
}

function isWindowOpen(window: RateLimitWindow, now: number): boolean {
  return window.endsAt + window.clockUncertaintyMs > now;
}

function decrement(window: RateLimitWindow): RateLimitWindow {
  return { ...window, remaining: window.remaining - 1 };
}
