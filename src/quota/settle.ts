import { mergeQuota } from '../api/rate-limit-headers.js';
import { countAsSent, isWindowOpen, removePermit, reportToleranceMs, resetToleranceMs } from './admit.js';
import { findSpanEnd, type Permit, type QuotaState, type RateLimitBlock, type RateLimitWindow } from './quota-state.js';
import type { RateLimitInfo } from './rate-limit-info.js';

/**
 * Returns the state after a request with a permit: `info` is what its response said, `lost` means that it was sent and no
 * response arrived, `unsent` that it never left.
 */
export function settle(state: QuotaState, permit: Permit, info: RateLimitInfo | 'lost' | 'unsent'): QuotaState {
  if (info === 'unsent') return removePermit(state, permit);
  if (info === 'lost') return countAsSent(state, permit);
  const { status, isRateLimited, quota, receivedAt } = info;
  const hasQuota = Object.keys(quota).length > 0;
  // Counts the request even if the failing service did not, so that not all processes retry at once when it recovers.
  if (status >= 500 && !hasQuota) return countAsSent(state, permit);
  const settled = {
    ...removePermit(state, permit),
    ...((isRateLimited || hasQuota) && { quota: mergeQuota(state.quota, quota), seenAt: receivedAt }),
  };
  return isRateLimited ? addBlock(settled, permit, info) : applyWindows(settled, permit, info);
}

function addBlock(state: QuotaState, permit: Permit, info: RateLimitInfo): QuotaState {
  // Rate-limited responses to requests that were in flight together count once.
  const isSentAfterLast = permit.blockCount === state.blockCount;
  const blockCount = isSentAfterLast ? state.blockCount + 1 : Math.max(1, state.blockCount);
  const block = pickLaterBlock(state.block, computeBlock(info, blockCount), info.receivedAt);
  // The block replaces an exhausted window, even if it ends earlier.
  const windows = state.windows.filter(({ remaining }) => remaining > 0);
  return { ...state, windows, blockCount, block };
}

function pickLaterBlock(known: RateLimitBlock | undefined, added: RateLimitBlock, now: number): RateLimitBlock {
  return known && findSpanEnd(known, now) > findSpanEnd(added, now) ? known : added;
}

function applyWindows({ block, ...state }: QuotaState, permit: Permit, info: RateLimitInfo): QuotaState {
  const isBlockOver = permit.blockCount === state.blockCount && (!block || block.endsAt <= info.receivedAt);
  const windows = updateWindows(state.windows, permit, info);
  return {
    ...state,
    ...(block && !isBlockOver && { block }),
    windows,
    // A 401 reports no quota of the API key.
    noQuotaHeaders: info.status === 401 ? state.noQuotaHeaders : windows.length === 0,
    blockCount: isBlockOver ? 0 : state.blockCount,
  };
}

/** Returns the windows after a response: the reported one, and the others with one request less. */
function updateWindows(
  windows: readonly RateLimitWindow[],
  permit: Permit,
  info: RateLimitInfo,
): readonly RateLimitWindow[] {
  const { limit = 0, remaining, resetAt } = info.quota;
  const sentAt = Math.min(permit.startedAt, info.receivedAt);
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
  const endsTogether = (one: RateLimitWindow, toleranceMs: number) => Math.abs(one.endsAt - resetAt) <= toleranceMs;
  const isReported = (one: RateLimitWindow) => one.limit === limit || endsTogether(one, resetToleranceMs);
  const others = open
    // A window that was exhausted when the request was sent would have rejected it.
    .filter((one) => !isReported(one) && (one.remaining > 0 || sentAt < one.startedAt))
    .map(decrement);
  const known = open.find(isReported);
  if (!known) return [...others, reported];
  // A late response may report the previous window.
  if (sentAt < known.startedAt && resetAt < known.endsAt - reportToleranceMs) {
    return [...others, decrement(known)];
  }
  const isSame = known.limit === limit && endsTogether(known, reportToleranceMs);
  return [...others, isSame ? mergeWindows(known, reported) : reported];
}

/** Returns the later report of a window with the lower remaining count of both. */
function mergeWindows(known: RateLimitWindow, reported: RateLimitWindow): RateLimitWindow {
  const uncertainties = [known, reported].map(({ clockUncertaintyMs }) => clockUncertaintyMs);
  return {
    ...reported,
    remaining: Math.min(known.remaining, reported.remaining),
    ...(known.endsAt === reported.endsAt && { clockUncertaintyMs: Math.min(...uncertainties) }),
  };
}

function decrement(window: RateLimitWindow): RateLimitWindow {
  return { ...window, remaining: window.remaining - 1 };
}

const minBackoffMs = 1_000;
/** Applies if the service names neither a time nor a reset. */
const minUnguidedBackoffMs = 30_000;
const maxBackoffMs = 3_600_000;

/**
 * Returns the block after a rate-limited response, the `count`th in a row. The first one lasts as long as the service said.
 * Later ones also last until the reset, with exponential backoff. A time that the service named is never shortened.
 */
function computeBlock(info: RateLimitInfo, count: number): RateLimitBlock {
  const { quota, retryAt, clockUncertaintyMs, receivedAt } = info;
  const { resetAt = 0 } = quota;
  if (count === 1 && retryAt !== undefined) {
    const endsAt = Math.max(retryAt, receivedAt + minBackoffMs);
    return { startedAt: receivedAt, endsAt, clockUncertaintyMs: 0, maxJitterMs: 0 };
  }
  const isGuided = retryAt !== undefined || resetAt > receivedAt;
  const baseMs = isGuided ? minBackoffMs : minUnguidedBackoffMs;
  const backoffMs = Math.min(maxBackoffMs, baseMs * 2 ** Math.min(count - 1, 30));
  const endsAt = Math.max(retryAt ?? 0, resetAt, receivedAt + backoffMs);
  return { startedAt: receivedAt, endsAt, clockUncertaintyMs, maxJitterMs: 0.1 * (endsAt - receivedAt) + 1_000 };
}
