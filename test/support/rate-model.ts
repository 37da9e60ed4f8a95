import type { HttpResponse } from '../../src/api/http.js';
import { formatQuotaHeaders } from '../../src/api/rate-limit-headers.js';

export interface ModelLimits {
  readonly perMinute: number;
  /** A day of the model is ten minutes, so that many fit into a test. */
  readonly perDay: number;
}

export interface Counted extends Pick<HttpResponse, 'status' | 'headers'> {
  /** Names the window that the headers tell of. */
  readonly window: number;
  readonly left: number;
}

interface Window {
  readonly limit: number;
  readonly length: number;
  id: number;
  end: number;
  used: number;
}

/**
 * The service's counting as the interface has it, without a database: two fixed windows that start with their first
 * request, headers of the one with fewer left, and a ban after ten requests refused in a row.
 */
export function modelService({ perMinute, perDay }: ModelLimits, tellsRetryAfter: boolean) {
  const windows: Window[] = [
    { limit: perDay, length: 600_000, id: 0, end: 0, used: 0 },
    { limit: perMinute, length: 60_000, id: 0, end: 0, used: 0 },
  ];
  const refusedIn: number[] = [];
  let opened = 0;
  let refusals = 0;
  let bans = 0;
  let bannedUntil = 0;
  const leftOf = ({ limit, used, end }: Window, now: number) => limit - (end > now ? used : 0);
  return {
    refusedIn,
    bans: () => bans,
    count: (now: number, who: 'us' | 'others'): Counted => {
      const full = windows.filter((window) => leftOf(window, now) <= 0);
      const isRefused = full.length > 0 || now < bannedUntil;
      if (!isRefused) {
        refusals = 0;
        for (const window of windows) open(window, now);
      } else if (who === 'us') {
        refusals += 1;
        refusedIn.push((windows[1] as Window).id);
        if (refusals === 10) {
          bans += 1;
          bannedUntil = now + 300_000;
        }
      }
      const told = [...windows].sort(
        (a, b) => leftOf(a, now) - leftOf(b, now) || b.end - a.end,
      )[0] as Window;
      const left = leftOf(told, now);
      const retryAt = Math.max(bannedUntil, ...full.map(({ end }) => end));
      return {
        status: isRefused ? (now < bannedUntil ? 403 : 429) : 200,
        window: told.id,
        left,
        headers: {
          date: new Date(now).toUTCString(),
          ...formatQuotaHeaders({ limit: told.limit, remaining: left, resetAt: told.end }),
          ...(isRefused &&
            tellsRetryAfter && { 'retry-after': String(Math.ceil((retryAt - now) / 1000)) }),
        },
      };
    },
  };

  function open(window: Window, now: number): void {
    if (window.end > now) {
      window.used += 1;
      return;
    }
    opened += 1;
    Object.assign(window, { id: opened, end: now + window.length, used: 1 });
  }
}
