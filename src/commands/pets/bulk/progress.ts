import type { Quota } from '../../../contract/quota.js';
import type { Context } from '../../../ports/context.js';
import { formatDuration } from '../../../text/duration.js';
import { safe } from '../../../text/safe.js';

export interface Progress {
  done(rows: number): void;
  /** Requests wait for the quota; what it returns ends that. */
  waiting(until: number): () => void;
  stop(): Promise<void>;
}

/** Shows how far an import has come: a bar where one can be drawn, a line every ten seconds elsewhere. */
export async function startProgress(
  context: Context,
  total: number,
  quota: () => Quota | undefined,
): Promise<Progress> {
  const { clock } = context;
  const bar = await context.bar(total);
  const start = clock.now();
  const stopped = new AbortController();
  let rows = 0;
  let waitsUntil: number | undefined;
  const words = () => describe(rows, total, clock.now() - start, quota(), waitsUntil, clock.now());
  const tell = async () => {
    for (;;) {
      await clock.sleep(bar.isDrawn ? 250 : 10_000, stopped.signal);
      if (bar.isDrawn) bar.update(rows, safe(words()));
      else context.notice(`${rows} of ${total} rows · ${words()}`);
    }
  };
  const telling = tell().catch(() => {});
  return {
    done: (count) => {
      rows = count;
    },
    waiting: (until) => {
      waitsUntil = Math.max(until, waitsUntil ?? 0);
      return () => {
        waitsUntil = undefined;
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
  rows: number,
  total: number,
  elapsed: number,
  quota: Quota | undefined,
  waitsUntil: number | undefined,
  now: number,
): string {
  const rate = rows / Math.max(0.001, elapsed / 1000);
  const parts = [`${rate.toFixed(rate < 10 ? 1 : 0)} a second`];
  if (rows > 0 && rows < total) {
    parts.push(`${formatDuration(((total - rows) / rate) * 1000)} left`);
  }
  if (quota?.remaining !== undefined) parts.push(`${quota.remaining} requests left`);
  if (waitsUntil !== undefined) {
    parts.push(`waiting ${formatDuration(Math.max(0, waitsUntil - now))} for the quota`);
  }
  return parts.join(' · ');
}
