import type { HttpResponse } from '../../src/api/http.js';
import { formatQuotaHeaders } from '../../src/api/rate-limit-headers.js';
import { admit } from '../../src/quota/admit.js';
import { emptyQuotaState, type Permit, type QuotaState } from '../../src/quota/quota-state.js';
import { parseRateLimitInfo } from '../../src/quota/rate-limit-info.js';
import { settle } from '../../src/quota/settle.js';

/** How one request ends: with a response, without one (whether it arrived or not), or with its process. */
export type RequestFate = 'responded' | 'lost' | 'never-arrived' | 'unsent' | 'crashed';

/** The requests of a model and what happens to them. */
export interface Scenario {
  readonly limits: ModelLimits;
  /** When requests of others with the same API key are counted, in milliseconds. */
  readonly others: readonly number[];
  /** For each process: when it sends requests, in milliseconds. */
  readonly processes: readonly (readonly number[])[];
  /** The latencies of requests and responses, in milliseconds. Repeated as needed. */
  readonly latencies: readonly (readonly [there: number, back: number])[];
  /** How the first requests end. All later ones get a response. */
  readonly fates: readonly RequestFate[];
  readonly jitters: readonly number[];
  /** How far the clock of the service is ahead. */
  readonly clockOffsetMs: number;
  readonly sendsRetryAfter: boolean;
  readonly hasQuota: boolean;
}

/** What the modeled service and its client saw. */
export interface ModelResult {
  readonly unfinished: number;
  /** The number of the minute window of each rate-limited request of ours. */
  readonly rateLimitedIn: readonly number[];
  readonly bans: number;
  /** The number of requests sent during a known block. */
  readonly sentWhileBlocked: number;
  /** The maximum number of requests beyond the remaining count that an earlier response reported. */
  readonly excess: number;
  readonly sent: number;
  /** Requests whose response no process received, because it was lost or the process had crashed. */
  readonly lost: number;
}

const start = Date.UTC(2026, 10, 21, 12);
const timeout = 30_000;
/** Longer than any scenario with progress: one request in each day of the model. */
const horizon = 150 * 600_000;

/** Runs a scenario in virtual time: processes share one quota state, and a service counts their requests. */
export function runModel(scenario: Scenario): ModelResult {
  const { latencies, fates, jitters, clockOffsetMs, hasQuota, processes } = scenario;
  const events: { readonly at: number; readonly run: () => void }[] = [];
  const service = createModelService(scenario.limits, scenario.sendsRetryAfter);
  const ended = new Set<string>();
  const reports: { window: number; left: number; known: number; number: number }[] = [];
  let state: QuotaState = emptyQuotaState;
  let now = start;
  let sent = 0;
  let blockedUntil = 0;
  let sentWhileBlocked = 0;
  let excess = 0;
  let lost = 0;
  let unfinished = processes.flat().length;

  const at = (time: number, run: () => void) => {
    let index = events.length;
    while (index > 0 && (events[index - 1]?.at ?? 0) <= time) index -= 1;
    events.splice(index, 0, { at: time, run });
  };
  const pick = <Item>(items: readonly Item[], index: number, other: Item): Item =>
    items.length === 0 ? other : (items[index % items.length] as Item);

  const want = (owner: string, jitter: number) => {
    if (ended.has(owner)) {
      unfinished -= 1;
      return;
    }
    const admission = admit(hasQuota ? state : emptyQuotaState, now, {
      jitter,
      id: `${owner} ${sent}`,
      durationMs: timeout + 1_000,
    });
    state = admission.state;
    const { wait, permit } = admission;
    if (permit) return send(owner, jitter, permit);
    const left = Math.max(0, wait.endsAt + wait.marginMs - now);
    const pause = wait.reason === 'probe-in-flight' ? 100 + 200 * jitter : Math.min(left + 1, 60_000);
    at(now + Math.ceil(pause), () => want(owner, jitter));
  };

  const send = (owner: string, jitter: number, permit: Permit) => {
    const number = sent;
    sent += 1;
    if (now < blockedUntil) sentWhileBlocked += 1;
    const sentAt = now;
    const fate = fates[number] ?? 'responded';
    const [there, back] = pick(latencies, number, [1, 1]);
    const again = () => want(owner, jitter);
    if (fate === 'unsent') {
      at(now + 5, () => {
        if (!ended.has(owner)) state = settle(state, permit, 'unsent');
        again();
      });
      return;
    }
    if (fate === 'crashed') ended.add(owner);
    if (fate === 'lost' || fate === 'never-arrived') {
      at(now + timeout, () => {
        if (!ended.has(owner)) state = settle(state, permit, 'lost');
        again();
      });
    }
    if (fate === 'never-arrived') return;
    at(now + there, () => {
      const response = service.count(now + clockOffsetMs, 'us');
      if (response.status === 200) {
        for (const report of reports) {
          if (report.window !== response.window || sentAt < report.known) continue;
          report.number += 1;
          excess = Math.max(excess, report.number - report.left);
        }
      }
      if (fate === 'lost') {
        lost += 1;
        return;
      }
      at(now + back, () => {
        if (ended.has(owner)) {
          lost += 1;
          unfinished -= 1;
          return;
        }
        const reported = parseRateLimitInfo(response, sentAt, now);
        state = settle(state, permit, reported);
        if (response.status === 200) {
          reports.push({ window: response.window, left: response.left, known: now, number: 0 });
          unfinished -= 1;
          return;
        }
        if (scenario.sendsRetryAfter) blockedUntil = Math.max(blockedUntil, reported.retryAt ?? 0);
        at(now + 1, again);
      });
    });
  };

  for (const time of scenario.others) {
    at(start + time, () => service.count(now + clockOffsetMs, 'others'));
  }
  processes.forEach((times, index) => {
    for (const [order, time] of times.entries()) {
      at(start + time, () => want(`${index + 1} here`, pick(jitters, index + order, 0.5)));
    }
  });
  for (let event = events.pop(); event && event.at < start + horizon; event = events.pop()) {
    now = event.at;
    if (unfinished === 0 || sent > 3_000) break;
    event.run();
  }
  const { rateLimitedIn, bans } = service;
  return { unfinished, rateLimitedIn, bans: bans(), sentWhileBlocked, excess, sent, lost };
}

/** The limits of the modeled service. */
export interface ModelLimits {
  readonly perMinute: number;
  /** A day of the model is ten minutes, so that many fit into a test. */
  readonly perDay: number;
}

/** A response of the modeled service. */
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
