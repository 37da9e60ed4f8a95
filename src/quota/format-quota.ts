import type { Quota } from '../api/rate-limit-headers.js';
import { formatDuration } from '../format/duration.js';

/** Returns `57 of 60 requests left · resets in 42s`, or undefined if the remaining count is unknown. */
export function formatQuota({ limit, remaining, resetAt }: Quota, now: number): string | undefined {
  if (remaining === undefined) return undefined;
  const left = `${remaining}${limit === undefined ? '' : ` of ${limit}`} requests left`;
  if (resetAt === undefined) return left;
  if (resetAt <= now) return `${left} before the reset`;
  return `${left} · resets in ${formatDuration(Math.floor((resetAt - now) / 1000) * 1000)}`;
}
