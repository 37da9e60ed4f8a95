import type { Quota } from '../api/rate-limit-headers.js';
import { type SafeText, toSafeText } from '../format/safe-text.js';
import { formatQuota } from './quota-text.js';

/**
 * One line on profile and quota: `sandbox · 57 of 60 requests left · resets in 42s`. What is not known is
 * left out; nothing at all where the requests left are not known.
 */
export function statusLine(label: string, quota: Quota, now: number): SafeText | undefined {
  const left = formatQuota(quota, now);
  return left === undefined ? undefined : toSafeText(`${label} · ${left}`);
}
