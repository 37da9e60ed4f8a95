import type { Wait } from '../api/outcome.js';
import { classifyWindow } from '../api/rate-limit-headers.js';
import {
  findSpanEnd,
  type Permit,
  type QuotaState,
  type RateLimitBlock,
  type RateLimitWindow,
  type TimeSpan,
} from './quota-state.js';

/** Returns how many requests of a window stay for others. */
export type Leave = (window: RateLimitWindow) => number;

export interface AdmitOptions {
  readonly leave?: Leave | undefined;
  /** Between 0 and 1. */
  readonly jitter?: number;
  /** Identifies the request among those of every process. */
  readonly id?: string;
  /** How long the request may be in flight, in milliseconds. */
  readonly durationMs?: number;
}

export type Admission = { readonly state: QuotaState } & (
  | { readonly permit: Permit; readonly wait?: undefined }
  | { readonly wait: Wait; readonly permit?: undefined }
);

/**
 * Returns a permit to send a request now, or why it must wait. Three rules hold. A block stops all requests. No known
 * window gets more requests than it has remaining. If the current window is unknown (first request, after a reset, after a
 * rate-limited response), one request is the probe, and the others wait for its response.
 */
export function admit(stored: QuotaState, now: number, options: AdmitOptions = {}): Admission {
  const { jitter = 0, id = '', durationMs = 0 } = options;
  const state = countExpiredAsSent(rebaseOnClock(stored, now), now);
  const wait = findWait(state, now, jitter, options.leave ?? leaveNone);
  if (wait) return { state, wait };
  const permit = { id, startedAt: now, endsAt: Math.ceil(now + durationMs), blockCount: state.blockCount };
  return { state: { ...state, permits: [...state.permits, permit] }, permit };
}

const leaveNone: Leave = () => 0;

/** Returns a rule that leaves half of what remains of each window when it is first seen, rounded up. */
export function createHalfLeave(): Leave {
  let seen: readonly (Pick<RateLimitWindow, 'limit' | 'endsAt'> & { readonly count: number })[] = [];
  return ({ limit, endsAt, remaining }) => {
    const known = seen.find((one) => one.limit === limit && Math.abs(one.endsAt - endsAt) <= reportToleranceMs);
    if (known) return known.count;
    const count = Math.ceil(Math.max(0, remaining) / 2);
    seen = [...seen.filter((one) => one.limit !== limit), { limit, endsAt, count }];
    return count;
  };
}

/**
 * Returns whether a request waits so long; otherwise it fails. A window of a minute may seem up to 3 s longer, since resets and
 * dates are in whole seconds.
 */
export function canWait(reason: Wait['reason'], waitMs: number, maxWaitMs: number): boolean {
  return reason === 'probe-in-flight' || waitMs <= maxWaitMs * (reason === 'block' ? 1 : 1.05);
}

function findWait(state: QuotaState, now: number, jitter: number, leave: Leave): Wait | undefined {
  const { block, windows, permits } = state;
  if (block) {
    const { endsAt } = block;
    const marginMs = block.clockUncertaintyMs + jitter * block.maxJitterMs;
    if (now < endsAt + marginMs) return { reason: 'block', endsAt, marginMs, ...findBlockedDay(state, block) };
  }
  const open = windows.filter((window) => isWindowOpen(window, now));
  const exhausted = open.filter(({ remaining }) => remaining <= 0);
  if (exhausted.length > 0) {
    const day = exhausted.find(isUsedUpDay);
    return { reason: 'window', ...findLatestReset(exhausted), ...(day && { dayLimit: day.limit }) };
  }
  const free = open.map((window) => ({ window, count: window.remaining - leave(window) }));
  const left = free.filter(({ count }) => count <= 0).map(({ window }) => window);
  if (left.length > 0) return { reason: 'leave', ...findLatestReset(left) };
  const isTaken = free.some(({ count }) => count <= permits.length);
  if (permits.length > 0 && (isTaken || isQuotaUnknown(state, now))) {
    return { reason: 'probe-in-flight', endsAt: Math.max(...permits.map((one) => one.endsAt)), marginMs: 0 };
  }
  return undefined;
}

function findLatestReset(windows: readonly RateLimitWindow[]): Pick<Wait, 'endsAt' | 'marginMs'> {
  const endsAt = Math.max(...windows.map((one) => one.endsAt));
  const latest = Math.max(...windows.map((one) => one.endsAt + one.clockUncertaintyMs));
  return { endsAt, marginMs: latest - endsAt };
}

/** Returns whether the window is that of the day and used up. A limit of 0 means unknown. */
function isUsedUpDay({ limit, startedAt, endsAt }: RateLimitWindow): boolean {
  return limit > 0 && classifyWindow(endsAt, startedAt) === 'day';
}

/** Resets are reported in whole seconds, and clocks drift. In milliseconds. */
export const resetToleranceMs = 2_000;

/** The resets of one window differ by up to this between its responses, as slow ones make the clock skew uncertain. */
export const reportToleranceMs = 30_000;

/** Returns the limit of the day's quota if the block lasts until that quota resets. */
function findBlockedDay({ quota }: QuotaState, { startedAt, endsAt }: RateLimitBlock): Pick<Wait, 'dayLimit'> {
  const { limit = 0, remaining, resetAt = 0 } = quota;
  const isDay = classifyWindow(resetAt, startedAt) === 'day' && Math.abs(resetAt - endsAt) <= resetToleranceMs;
  return remaining === 0 && limit > 0 && isDay ? { dayLimit: limit } : {};
}

/** Returns true if a probe must find out how many requests remain. */
function isQuotaUnknown(state: QuotaState, now: number): boolean {
  const { windows, blockCount, noQuotaHeaders } = state;
  const hasEnded = windows.some((window) => !isWindowOpen(window, now));
  return blockCount > 0 || hasEnded || (windows.length === 0 && !noQuotaHeaders);
}

export function isWindowOpen(window: RateLimitWindow, now: number): boolean {
  return window.endsAt + window.clockUncertaintyMs > now;
}

/** No request lasts longer than a day, the longest `--timeout`, and a short time to settle. In milliseconds. */
const maxPermitMs = 86_500_000;

/** Counts requests whose permits have expired as sent: their processes have ended, or have lost track of them. */
function countExpiredAsSent(state: QuotaState, now: number): QuotaState {
  const isExpired = ({ startedAt, endsAt }: Permit) => endsAt <= now || endsAt - startedAt > maxPermitMs;
  return state.permits.filter(isExpired).reduce(countAsSent, state);
}

/** Counts a request without a response as sent, since it may have reached the service. */
export function countAsSent(state: QuotaState, permit: Permit): QuotaState {
  const { quota, windows, ...rest } = removePermit(state, permit);
  const { remaining } = quota;
  return {
    ...rest,
    // Unlike the windows, it is printed.
    quota: remaining === undefined ? quota : { ...quota, remaining: Math.max(0, remaining - 1) },
    windows: windows.map((window) => ({ ...window, remaining: window.remaining - 1 })),
  };
}

export function removePermit(state: QuotaState, { id }: Permit): QuotaState {
  return { ...state, permits: state.permits.filter((other) => other.id !== id) };
}

/** Moves spans that start in the future to the present: the clock was set back. */
function rebaseOnClock(state: QuotaState, now: number): QuotaState {
  const { block, windows, permits } = state;
  const spans: readonly TimeSpan[] = [...windows, ...permits, ...(block ? [block] : [])];
  if (spans.every(({ startedAt }) => startedAt <= now)) return state;
  const rebase = <Span extends TimeSpan>(span: Span): Span =>
    span.startedAt <= now ? span : { ...span, startedAt: now, endsAt: findSpanEnd(span, now) };
  return {
    ...state,
    ...(block && { block: rebase(block) }),
    windows: windows.map(rebase),
    permits: permits.map(rebase),
  };
}
