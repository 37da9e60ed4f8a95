import type { Quota } from '../api/rate-limit-headers.js';
import { formatDuration } from '../format/duration.js';
import { type SafeText, toSafeText } from '../format/safe-text.js';

/** Returns `sandbox · 57 of 60 requests left · resets in 42s`, or undefined if the remaining count is unknown. */
export function formatStatusLine(label: string, quota: Quota, now: number): SafeText | undefined {
  const text = formatQuota(quota, now);
  return text === undefined ? undefined : toSafeText(`${label} · ${text}`);
}

/** Returns `57 of 60 requests left · resets in 42s`, or undefined if the remaining count is unknown. */
export function formatQuota({ limit, remaining, resetAt }: Quota, now: number): string | undefined {
  if (remaining === undefined) return undefined;
  const left = `${remaining}${limit === undefined ? '' : ` of ${limit}`} requests left`;
  if (resetAt === undefined) return left;
  if (resetAt <= now) return `${left} before the reset`;
  return `${left} · resets in ${formatDuration(Math.floor((resetAt - now) / 1000) * 1000)}`;
}
