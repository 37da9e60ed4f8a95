import { mergeQuota } from '../api/rate-limit-headers.js';
import { countAsSent, decrement, isWindowOpen, releaseReservation, resetToleranceMs } from './gate-rules.js';
import {
  type LedgerEntry,
  mergeWindows,
  pickLaterBlock,
  type RateLimitBlock,
  type RateLimitWindow,
  type Reservation,
  type TimeSpan,
} from './ledger.js';
import type { RateLimitInfo } from './rate-limit-info.js';

/** Returns the entry after the response to a reserved request. */
export function applyResponse(entry: LedgerEntry, reservation: Reservation, info: RateLimitInfo): LedgerEntry {
  const { status, isRateLimited, quota, receivedAt } = info;
  const hasQuota = Object.keys(quota).length > 0;
  // Counts the request even if the failing service did not, so that not all processes retry at once when it recovers.
  if (status >= 500 && !hasQuota) return countAsSent(entry, reservation);
  // Rate-limited responses to requests that were in flight together count once.
  const isSentAfterLast = reservation.rateLimitedStreak === entry.rateLimitedStreak;
  const { block, ...base } = {
    ...releaseReservation(entry, reservation),
    ...((isRateLimited || hasQuota) && {
      quota: mergeQuota(entry.quota, quota),
      seenAt: receivedAt,
    }),
  };
  if (isRateLimited) {
    const rateLimitedStreak = isSentAfterLast ? entry.rateLimitedStreak + 1 : Math.max(1, entry.rateLimitedStreak);
    const newBlock = computeBlock(info, rateLimitedStreak);
    // The block replaces an exhausted window, even if it ends earlier.
    const windows = entry.windows.filter(({ remaining }) => remaining > 0);
    const laterBlock = pickLaterBlock(block, newBlock, receivedAt) ?? newBlock;
    return { ...base, windows, rateLimitedStreak, block: laterBlock };
  }
  // A diagnosis is sent during the block.
  const isBlockOver =
    isSentAfterLast && block && (block.endsAt <= receivedAt || block.startedAt < reservation.startedAt);
  const windows = updateWindows(entry.windows, reservation, info);
  return {
    ...base,
    ...(block && !isBlockOver && { block }),
    windows,
    noQuotaHeaders: windows.length === 0,
    rateLimitedStreak: isSentAfterLast ? 0 : entry.rateLimitedStreak,
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
  if (remaining === undefined || resetAt === undefined) return open.map((one) => decrement(one));
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
    .map((one) => decrement(one));
  const knownWindow = open.find(isReported);
  if (!knownWindow) return [...others, reported];
  // A late response may report the previous window.
  if (sentAt < knownWindow.startedAt && resetAt < knownWindow.endsAt - slowResponseToleranceMs) {
    return [...others, decrement(knownWindow)];
  }
  const isSame = knownWindow.limit === limit && endsWithin(knownWindow, reported, slowResponseToleranceMs);
  return [...others, isSame ? mergeWindows(knownWindow, reported) : reported];
}

function endsWithin(a: TimeSpan, b: TimeSpan, toleranceMs: number): boolean {
  return Math.abs(a.endsAt - b.endsAt) <= toleranceMs;
}

const minBackoffMs = 1_000;
/** Applies if the service names neither a time nor a reset. */
const minUnguidedBackoffMs = 30_000;
const maxBackoffMs = 3_600_000;

/**
 * Returns the block after a rate-limited response. The first one lasts as long as the service said. Later ones also
 * last until the reset, with exponential backoff. A time that the service named is never shortened.
 */
function computeBlock(info: RateLimitInfo, streak: number): RateLimitBlock {
  const { quota, retryAt, clockUncertaintyMs, receivedAt } = info;
  const { resetAt = 0 } = quota;
  if (streak === 1 && retryAt !== undefined) {
    const endsAt = Math.max(retryAt, receivedAt + minBackoffMs);
    return { startedAt: receivedAt, endsAt, clockUncertaintyMs: 0, maxJitterMs: 0 };
  }
  const isGuided = retryAt !== undefined || resetAt > receivedAt;
  const baseMs = isGuided ? minBackoffMs : minUnguidedBackoffMs;
  const backoffMs = Math.min(maxBackoffMs, baseMs * 2 ** Math.min(streak - 1, 30));
  const endsAt = Math.max(retryAt ?? 0, resetAt, receivedAt + backoffMs);
  const maxJitterMs = 0.1 * (endsAt - receivedAt) + 1_000;
  return { startedAt: receivedAt, endsAt, clockUncertaintyMs, maxJitterMs };
}
