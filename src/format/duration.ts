/** Formats a duration in its two largest units, rounded up to seconds: `42s`, `3m 5s`, `2h 10m`. */
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

/** Formats the time until a window resets. Rounded down to seconds, because services round the reset up. */
export function formatTimeToReset(milliseconds: number): string {
  return formatDuration(Math.floor(milliseconds / 1000) * 1000);
}

/** Formats an ISO time relative to now: `in 3m 5s`, `2h 10m ago`. Returns any other text unchanged. */
export function formatRelativeTime(text: string, now: number): string {
  const distanceMs = Date.parse(text) - now;
  if (Number.isNaN(distanceMs)) return text;
  if (Math.abs(distanceMs) < 1_000) return 'now';
  return distanceMs > 0 ? `in ${formatDuration(distanceMs)}` : `${formatDuration(-distanceMs)} ago`;
}

/** Formats a time in the local time zone; without the date if it is that of `now`. */
export function formatLocalTime(time: number, now = time): string {
  const date = new Date(time);
  const isToday = date.toDateString() === new Date(now).toDateString();
  return isToday ? date.toTimeString().slice(0, 8) : date.toLocaleString('sv');
}

/** Formats a count with its noun: `1 pet`, `2,000 pets`. */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Groups the digits of a whole number: `2,000`. The first `toLocaleString` would take 20 % of `pets list`. */
export function formatNumber(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
