import { formatDuration } from '../format/duration.js';

interface Left {
  readonly limit?: number;
  readonly remaining?: number;
  /** In milliseconds since the Unix epoch. */
  readonly resetAt?: number;
}

/** What is left of a quota: `57 of 60 requests left · resets in 42s`; nothing where that is not known. */
export function formatQuota({ limit, remaining, resetAt }: Left, now: number): string | undefined {
  if (remaining === undefined) return undefined;
  const left = `${remaining}${limit === undefined ? '' : ` of ${limit}`} requests left`;
  if (resetAt === undefined) return left;
  if (resetAt <= now) return `${left} before the reset`;
  return `${left} · resets in ${formatDuration(Math.floor((resetAt - now) / 1000) * 1000)}`;
}
