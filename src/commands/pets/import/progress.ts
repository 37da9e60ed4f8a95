import { findPlanByLimit, plans } from '../../../api/plan.js';
import { classifyWindow, type Quota } from '../../../api/rate-limit-headers.js';
import type { AppContext } from '../../../app/context.js';
import { day } from '../../../clock.js';
import { formatDuration, formatWait } from '../../../format/duration.js';
import { toSafeText } from '../../../format/safe-text.js';

export interface ImportProgress {
  /** Sets the rows processed by this run and by earlier ones. */
  update(rows: number, earlierRows: number): void;
  /** Shows a wait for the quota; returns a function that ends it. */
  startWait(until: number): () => void;
  stop(): Promise<void>;
}

/** Draws a progress bar; prints a line every ten seconds if stderr cannot be redrawn. */
export async function startProgress(
  { clock, terminal }: AppContext,
  total: number,
  quota: () => Quota | undefined,
): Promise<ImportProgress> {
  const bar = await terminal.progressBar(total);
  const start = clock.now();
  const stopped = new AbortController();
  let rows = 0;
  let earlierRows = 0;
  let waitUntil: number | undefined;
  let waits = 0;
  const describe = () => {
    const now = clock.now();
    const rate = rows / Math.max(0.001, (now - start) / 1000);
    const waitMs = waitUntil && waitUntil - now;
    return describeProgress(rate, total - rows - earlierRows, quota(), waitMs, now);
  };
  const show = async () => {
    for (;;) {
      await clock.sleep(bar.isVisible ? 250 : 10_000, stopped.signal);
      const processed = rows + earlierRows;
      if (bar.isVisible) bar.update(processed, toSafeText(describe()));
      else terminal.notice(`${processed} of ${total} rows · ${describe()}`);
    }
  };
  const showing = show().catch(() => {});
  return {
    update: (count, earlier) => {
      rows = count;
      earlierRows = earlier;
    },
    startWait: (until) => {
      waits += 1;
      waitUntil = Math.max(until, waitUntil ?? 0);
      return () => {
        waits -= 1;
        if (waits === 0) waitUntil = undefined;
      };
    },
    stop: async () => {
      stopped.abort();
      await showing;
      bar.stop();
    },
  };
}

function describeProgress(
  rate: number,
  left: number,
  quota: Quota | undefined,
  waitMs: number | undefined,
  now: number,
): string {
  const parts = [`${rate.toFixed(rate < 10 ? 1 : 0)} a second`];
  const isPaced = left > (quota?.remaining ?? Number.POSITIVE_INFINITY);
  const time = isPaced ? estimateTime(left, quota, now) : formatDuration((left / rate) * 1000);
  if (rate > 0 && left > 0 && time !== undefined) parts.push(`${time} left`);
  if (quota?.remaining !== undefined) parts.push(`${quota.remaining} requests left`);
  if (waitMs !== undefined) parts.push(`${formatWait(waitMs)} for the quota`);
  return parts.join(' · ');
}

const minute = 60_000;

/**
 * Returns how long requests take within a quota, such as `1m 30s`; undefined if the quota is unknown. Infers the daily
 * limit from the plan, since the service reports it only when it is nearly used up.
 */
export function estimateTime(
  requests: number,
  { limit, remaining = 0, resetAt }: Quota = {},
  now: number,
): string | undefined {
  if (!limit || resetAt === undefined) return undefined;
  const hasReset = resetAt <= now;
  const left = hasReset ? limit : remaining;
  if (requests <= left) return 'a moment';
  const kind = classifyWindow(resetAt, now);
  const windowMs = kind === 'day' ? day : minute;
  const windows = Math.ceil((requests - left) / limit);
  const durationMs = (hasReset ? windowMs : resetAt - now) + (windows - 1) * windowMs;
  const plan = kind === 'minute' ? findPlanByLimit(limit, kind) : undefined;
  const days = plan ? Math.ceil(requests / plans[plan].perDay) - 1 : 0;
  return formatDuration(Math.max(durationMs, days * day));
}
