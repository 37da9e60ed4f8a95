import { findPlanByLimit, plans } from '../../../api/plan.js';
import { classifyWindow, type Quota } from '../../../api/rate-limit-headers.js';
import type { AppContext } from '../../../app/context.js';
import { mayWait } from '../../../client/limit-hint.js';
import { dayMs, minuteMs } from '../../../clock.js';
import { getTargetLabel } from '../../../config/settings.js';
import { formatCount, formatNumber, formatWait } from '../../../format/duration.js';
import { toSafeText } from '../../../format/safe-text.js';
import { findRemaining } from '../../../quota/rate-limit-info.js';

export type ImportProgress = Awaited<ReturnType<typeof startProgress>>;

/**
 * Draws a progress bar. If stderr cannot be redrawn, prints a line every ten seconds instead. In screen-reader mode, also
 * prints a line at once.
 */
export async function startProgress(
  { clock, settings, terminal }: AppContext,
  total: number,
  quota: () => Quota | undefined,
  isFinished = false,
) {
  const bar = await terminal.progressBar(total);
  if (settings.accessible && !isFinished)
    terminal.notice(`Importing ${formatCount(total, 'row')} into ${getTargetLabel(settings)}.`);
  const start = clock.now();
  const stopped = new AbortController();
  let rows = 0;
  let earlierRows = 0;
  let waitUntil: number | undefined;
  let waits = 0;
  let waitStart = 0;
  /** The length of the waits that have ended, in milliseconds. */
  let waitedMs = 0;
  const describe = () => {
    const now = clock.now();
    // Without waits: they say nothing about the speed of the service.
    const sendingMs = (waits > 0 ? waitStart : now) - start - waitedMs;
    const msPerRow = rows > 0 ? Math.max(1, sendingMs) / rows : 0;
    const rate = msPerRow > 0 ? 1000 / msPerRow : 0;
    const left = total - rows - earlierRows;
    const known = quota();
    const isPaced = left > (known?.remaining ?? Number.POSITIVE_INFINITY);
    const willStop = left > findMaxRequests(known, now, settings.maxWaitMs);
    const timeMs = isPaced ? estimateTimeMs(left, known, now, msPerRow) : left * msPerRow;
    const parts: string[] = [];
    if (waitUntil !== undefined) parts.push(`waiting ${formatWait(waitUntil - now)} for the quota`);
    // Waits lie ahead, so the rate so far would contradict the time left.
    else if (!isPaced) parts.push(`${rate.toFixed(rate < 10 ? 1 : 0)} rows/s`);
    if (timeMs && !willStop) parts.push(`${formatWait(timeMs)} left`);
    if (known?.remaining !== undefined) parts.push(`${formatNumber(known.remaining)} requests left`);
    return parts.map((part) => toSafeText(part));
  };
  const show = async () => {
    for (;;) {
      await clock.sleep(bar.isVisible ? 250 : 10_000, stopped.signal);
      const processed = rows + earlierRows;
      if (bar.isVisible) bar.update(processed, describe(), waitUntil !== undefined);
      else terminal.notice(`${formatNumber(processed)} of ${formatCount(total, 'row')} · ${describe().join(' · ')}`);
    }
  };
  const showing = show().catch(() => {});
  return {
    /** Sets the rows processed by this run and by earlier ones. */
    update: (count: number, earlier: number) => {
      rows = count;
      earlierRows = earlier;
    },
    /** Shows a wait for the quota; returns a function that ends it. */
    startWait: (until: number) => {
      if (waits === 0) waitStart = clock.now();
      waits += 1;
      waitUntil = Math.max(until, waitUntil ?? 0);
      return () => {
        waits -= 1;
        if (waits > 0) return;
        waitUntil = undefined;
        waitedMs += clock.now() - waitStart;
      };
    },
    stop: async () => {
      stopped.abort();
      await showing;
      bar.stop();
    },
  };
}

/**
 * Returns how long requests within a quota take, in milliseconds; undefined if the quota is unknown. `msPerRequest` is the
 * time that the service takes for each.
 */
export function estimateTimeMs(
  requests: number,
  quota: Quota | undefined,
  now: number,
  msPerRequest = 0,
): number | undefined {
  const window = describeWindow(quota, now);
  if (!window) return undefined;
  const { left, size, waitMs, windowMs, perDay } = window;
  const sendingMs = requests * msPerRequest;
  if (requests <= left) return sendingMs;
  const windows = Math.ceil((requests - left) / size);
  const days = Math.ceil(requests / perDay) - 1;
  const lastWindowStartMs = Math.max(waitMs + (windows - 1) * windowMs, days * dayMs);
  const lastRequests = requests - left - (windows - 1) * size;
  return Math.max(lastWindowStartMs + lastRequests * msPerRequest, sendingMs);
}

/** Returns how many requests can be sent before a wait for the quota is longer than `maxWaitMs`; infinite if unknown. */
export function findMaxRequests(quota: Quota | undefined, now: number, maxWaitMs: number): number {
  const window = describeWindow(quota, now);
  if (!window) return Number.POSITIVE_INFINITY;
  const { left, size, waitMs, windowMs, perDay } = window;
  const canWait = (ms: number) => mayWait('window', ms, maxWaitMs);
  if (!canWait(waitMs)) return left;
  if (!canWait(windowMs)) return left + size;
  return canWait(dayMs) ? Number.POSITIVE_INFINITY : perDay;
}

/**
 * Returns the requests that are left in a window and that fit into a later one, and when that starts. Infers the daily
 * limit from the plan, since the service reports it only when it is nearly used up.
 */
function describeWindow(quota: Quota = {}, now: number) {
  const { limit, resetAt } = quota;
  if (!limit || resetAt === undefined) return undefined;
  const kind = classifyWindow(resetAt, now);
  const windowMs = kind === 'day' ? dayMs : minuteMs;
  const plan = kind === 'minute' ? findPlanByLimit(limit, kind) : undefined;
  return {
    left: findRemaining({ remaining: 0, ...quota }, now) ?? 0,
    size: limit,
    waitMs: resetAt <= now ? windowMs : resetAt - now,
    windowMs,
    perDay: plan ? plans[plan].perDay : Number.POSITIVE_INFINITY,
  };
}
