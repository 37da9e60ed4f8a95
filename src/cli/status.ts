import type { Quota } from '../contract/quota.js';

/**
 * One line on profile and quota: `sandbox · 57 of 60 requests left · resets in 42s`. What is not known is
 * left out; nothing at all where the requests left are not known.
 */
export function statusLine(label: string, quota: Quota, now: number): string | undefined {
  const { limit, remaining, resetAt } = quota;
  if (remaining === undefined) return undefined;
  return [
    label,
    limit === undefined ? `${remaining} requests left` : `${remaining} of ${limit} requests left`,
    ...(resetAt === undefined
      ? []
      : [`resets in ${formatDuration(Math.max(0, Math.floor((resetAt - now) / 1000) * 1000))}`]),
  ].join(' · ');
}

/** A duration in its two largest units, rounded up: `42s`, `3m 5s`, `2h 10m`. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  const start = parts.findIndex(([count]) => count > 0);
  if (start === -1) return '0s';
  const shown = parts.slice(start, start + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count}${unit}`).join(' ');
}
