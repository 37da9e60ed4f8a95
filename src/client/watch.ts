import type { Clock } from '../contract/clock.js';
import { type HttpResponse, headerOf, type Transport } from '../contract/exchange.js';
import { parseQuota, type Quota } from '../contract/quota.js';
import type { Ledger } from '../ports/ledger.js';
import { parseRetryAfter } from './retry-after.js';
import { TransportError } from './transport-error.js';

/** Keeps the quota that answers tell of in the ledger, and hands it on; the answer does not wait for it. */
export function withQuota(
  send: Transport,
  {
    ledger,
    account,
    clock,
    onQuota,
  }: {
    readonly ledger: Ledger;
    /** Origin and key, digested. */
    readonly account: string;
    readonly clock: Clock;
    readonly onQuota: (quota: Quota, recorded: Promise<void>) => void;
  },
): Transport {
  const keep = (response: Omit<HttpResponse, 'body'>) => {
    const now = clock.now();
    const quota = parseQuota(response.headers, now);
    const blockedUntil =
      response.status === 429
        ? parseRetryAfter(headerOf(response.headers, 'retry-after'), now)
        : undefined;
    const told = blockedUntil !== undefined || Object.keys(quota).length > 0;
    const recorded = told
      ? ledger.record(account, { quota, seenAt: now, ...(blockedUntil && { blockedUntil }) })
      : Promise.resolve();
    // While a key is refused nothing is left of it, whatever its windows say.
    onQuota(blockedUntil ? { ...quota, remaining: 0, resetAt: blockedUntil } : quota, recorded);
  };
  return async (request, signal) => {
    try {
      const response = await send(request, signal);
      keep(response);
      return response;
    } catch (error) {
      if (error instanceof TransportError && error.answer) keep(error.answer);
      throw error;
    }
  };
}

/** Tells of each request and answer, without anything secret: of headers only those named here. */
export function withTrace(send: Transport, trace: (line: string) => void): Transport {
  return async (request, signal) => {
    trace(`> ${request.method} ${request.origin}${request.target}`);
    const response = await send(request, signal);
    trace(`< ${response.status}${shownHeaders(response)}`);
    return response;
  };
}

const shown = [
  'content-type',
  'content-length',
  'date',
  'link',
  'retry-after',
  'deprecation',
  'sunset',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
] as const;

function shownHeaders({ headers }: HttpResponse): string {
  return shown
    .filter((name) => headers[name] !== undefined)
    .map((name) => `  ${name}: ${String(headers[name])}`)
    .join('');
}
