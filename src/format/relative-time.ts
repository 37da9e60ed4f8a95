import { formatDuration } from './duration.js';

/** Formats an ISO time relative to now: `in 3m 5s`, `2h 10m ago`. Returns any other text unchanged. */
export function formatRelativeTime(text: string, now: number): string {
  const time = Date.parse(text);
  if (Number.isNaN(time)) return text;
  const distanceMs = time - now;
  if (Math.abs(distanceMs) < 1_000) return 'now';
  if (distanceMs > 0) return `in ${formatDuration(distanceMs)}`;
  return `${formatDuration(Math.floor(-distanceMs / 1_000) * 1_000)} ago`;
}
