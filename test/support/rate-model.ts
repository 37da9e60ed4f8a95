import type { HttpResponse } from '../../src/api/http.js';
import { formatQuotaHeaders } from '../../src/api/rate-limit-headers.js';

export interface ModelLimits {
  readonly perMinute: number;
  /** A day of the model is ten minutes, so that many fit into a test. */
  readonly perDay: number;
}

export interface CountedResponse extends Pick<HttpResponse, 'status' | 'headers'> {
  /** The id of the reported window. */
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
 * Creates a service that counts as the API spec describes, without a database. It has two fixed windows that start with
 * their first request, reports the one with fewer requests remaining, and bans after ten rate-limited requests in a row.
 */
export function createModelService({ perMinute, perDay }: ModelLimits, sendsRetryAfter: boolean) {
  const windows: Window[] = [
    { limit: perDay, length: 600_000, id: 0, end: 0, used: 0 },
    { limit: perMinute, length: 60_000, id: 0, end: 0, used: 0 },
  ];
  const rateLimitedIn: number[] = [];
  let opened = 0;
  let rateLimitedCount = 0;
  let bans = 0;
  let bannedUntil = 0;
  const remainingIn = ({ limit, used, end }: Window, now: number) => limit - (end > now ? used : 0);
  return {
    rateLimitedIn,
    bans: () => bans,
    count: (now: number, who: 'us' | 'others'): CountedResponse => {
      const full = windows.filter((window) => remainingIn(window, now) <= 0);
      const isRateLimited = full.length > 0 || now < bannedUntil;
      if (!isRateLimited) {
        rateLimitedCount = 0;
        for (const window of windows) open(window, now);
      } else if (who === 'us') {
        rateLimitedCount += 1;
        rateLimitedIn.push((windows[1] as Window).id);
        if (rateLimitedCount === 10) {
          bans += 1;
          bannedUntil = now + 300_000;
        }
      }
      const reported = [...windows].sort(
        (a, b) => remainingIn(a, now) - remainingIn(b, now) || b.end - a.end,
      )[0] as Window;
      const left = remainingIn(reported, now);
      const retryAt = Math.max(bannedUntil, ...full.map(({ end }) => end));
      return {
        status: isRateLimited ? (now < bannedUntil ? 403 : 429) : 200,
        window: reported.id,
        left,
        headers: {
          date: new Date(now).toUTCString(),
          ...formatQuotaHeaders({ limit: reported.limit, remaining: left, resetAt: reported.end }),
          ...(isRateLimited && sendsRetryAfter && { 'retry-after': String(Math.ceil((retryAt - now) / 1000)) }),
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
