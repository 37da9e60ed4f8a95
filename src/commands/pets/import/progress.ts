import type { Quota } from '../../../api/rate-limit-headers.js';
import type { AppContext } from '../../../app/context.js';
import { formatDuration, formatWait } from '../../../format/duration.js';
import { toSafeText } from '../../../format/safe-text.js';
import { describeTime } from './estimate.js';

export interface Progress {
  /** Rows that this run has dealt with, and those that an earlier one had. */
  done(rows: number, earlier: number): void;
  /** Requests wait for the quota; what it returns ends that. */
  waiting(until: number): () => void;
  stop(): Promise<void>;
}

/** Shows how far an import has come: a bar where one can be drawn, a line every ten seconds elsewhere. */
export async function startProgress(
  context: AppContext,
  total: number,
  quota: () => Quota | undefined,
): Promise<Progress> {
  const { clock } = context;
  const bar = await context.terminal.progressBar(total);
  const start = clock.now();
  const stopped = new AbortController();
  let rows = 0;
  let earlier = 0;
  let waitsUntil: number | undefined;
  let waits = 0;
  const words = () => {
    const now = clock.now();
    const rate = rows / Math.max(0.001, (now - start) / 1000);
    return describe(rate, total - rows - earlier, quota(), waitsUntil && waitsUntil - now, now);
  };
  const tell = async () => {
    for (;;) {
      await clock.sleep(bar.isVisible ? 250 : 10_000, stopped.signal);
      if (bar.isVisible) bar.update(rows + earlier, toSafeText(words()));
      else context.terminal.notice(`${rows + earlier} of ${total} rows · ${words()}`);
    }
  };
  const telling = tell().catch(() => {});
  return {
    done: (count, before) => {
      rows = count;
      earlier = before;
    },
    waiting: (until) => {
      waits += 1;
      waitsUntil = Math.max(until, waitsUntil ?? 0);
      return () => {
        waits -= 1;
        if (waits === 0) waitsUntil = undefined;
      };
    },
    stop: async () => {
      stopped.abort();
      await telling;
      bar.stop();
    },
  };
}

function describe(
  rate: number,
  left: number,
  quota: Quota | undefined,
  wait: number | undefined,
  now: number,
): string {
  const parts = [`${rate.toFixed(rate < 10 ? 1 : 0)} a second`];
  const isPaced = left > (quota?.remaining ?? Number.POSITIVE_INFINITY);
  const time = isPaced ? describeTime(left, quota, now) : formatDuration((left / rate) * 1000);
  if (rate > 0 && left > 0 && time !== undefined) parts.push(`${time} left`);
  if (quota?.remaining !== undefined) parts.push(`${quota.remaining} requests left`);
  if (wait !== undefined) parts.push(`${formatWait(wait)} for the quota`);
  return parts.join(' · ');
}
