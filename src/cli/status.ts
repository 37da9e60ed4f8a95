import type { Quota } from '../contract/quota.js';
import { formatDuration } from '../text/duration.js';
import { type SafeText, safe } from '../text/safe.js';

/**
 * One line on profile and quota: `sandbox · 57 of 60 requests left · resets in 42s`. What is not known is
 * left out; nothing at all where the requests left are not known.
 */
export function statusLine(label: string, quota: Quota, now: number): SafeText | undefined {
  const { limit, remaining, resetAt } = quota;
  if (remaining === undefined) return undefined;
  const parts = [
    label,
    limit === undefined ? `${remaining} requests left` : `${remaining} of ${limit} requests left`,
    ...(resetAt === undefined
      ? []
      : [`resets in ${formatDuration(Math.max(0, Math.floor((resetAt - now) / 1000) * 1000))}`]),
  ];
  return safe(parts.join(' · '));
}
