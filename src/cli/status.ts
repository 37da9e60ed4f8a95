import type { Quota } from '../contract/quota.js';
import { formatQuota } from '../text/quota.js';
import { type SafeText, safe } from '../text/safe.js';

/**
 * One line on profile and quota: `sandbox · 57 of 60 requests left · resets in 42s`. What is not known is
 * left out; nothing at all where the requests left are not known.
 */
export function statusLine(label: string, quota: Quota, now: number): SafeText | undefined {
  const left = formatQuota(quota, now);
  return left === undefined ? undefined : safe(`${label} · ${left}`);
}
