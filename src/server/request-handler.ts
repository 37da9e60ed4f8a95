import type { HttpHeaders, HttpRequest, HttpResponse } from '../api/http.js';
import type { Quota } from '../api/rate-limit-headers.js';
import type { Clock } from '../clock.js';
import { type ApiKeyRecord, findApiKey } from './api-keys.js';
import {
  addressSubject,
  countRequest,
  keySubject,
  type RateLimitDecision,
  type RateLimitSubject,
  readRateLimitStatus,
  reportedQuota,
} from './rate-limits.js';
import { errorResponse, Rejection, unknownQuota, withQuotaHeaders } from './responses.js';
import { isPublicRequest, routeRequest } from './routes.js';
import { type Database, DatabaseError, type DatabaseErrorReason } from './sql.js';

/** Responds to a request from an address. Rejects only with errors that `onError` throws. */
export type RequestHandler = (request: HttpRequest, address: string) => Promise<HttpResponse>;

export interface RequestHandlerOptions {
  readonly database: Database;
  /** Length of the minute window, which tests shorten. */
  readonly minuteMs?: number | undefined;
  readonly clock: Clock;
  /** Looks up an API key (default: in the database). */
  readonly findKey?: (key: string) => Promise<ApiKeyRecord | undefined>;
  /** Called when a ban starts. */
  readonly onBan?: (() => void) | undefined;
  /** Called with unexpected errors: bugs and database failures. The client gets 500 or 503. */
  readonly onError: (error: unknown) => void;
}

/** Creates the server as a function from request to response, without sockets. */
export function createRequestHandler({
  database,
  minuteMs,
  clock,
  findKey = (key) => findApiKey(database, key),
  onBan,
  onError,
}: RequestHandlerOptions): RequestHandler {
  let isFailing = false;
  return async (request, address) => {
    let quota = unknownQuota(clock.now());
    try {
      if (isPublicRequest(request)) {
        const subject = addressSubject(address);
        quota = reportedQuota(await readRateLimitStatus(database, subject, clock.now(), minuteMs));
        // A load balancer that sees 503 sends nothing but health checks: only they can detect the recovery.
        if (isFailing) await countRequest(database, addressSubject('/healthz'), clock.now());
        isFailing = false;
      } else {
        const key = await authenticate(findKey, request.headers);
        const subject = subjectOf(key, address);
        const decision = await countRequest(database, subject, clock.now(), minuteMs);
        isFailing = false;
        if (decision.isNewBan) onBan?.();
        quota = decision.quota;
        enforceLimits(decision);
        if (!key) {
          throw new Rejection('unauthorized', 'the API key is missing or invalid', {
            'www-authenticate': 'Bearer',
          });
        }
      }
      const response = await routeRequest(request, { database, now: clock.now() });
      return withQuotaHeaders(request, response, quota);
    } catch (error) {
      // Health checks fail until something can be written again.
      isFailing ||= error instanceof DatabaseError && error.reason !== 'busy';
      if (!(error instanceof Rejection)) onError(error);
      return withQuotaHeaders(request, errorResponse(toRejection(error)), quota);
    }
  };
}

/** Returns the quota of a request's key or address without counting the request. */
export async function readQuota(
  database: Database,
  { headers }: HttpRequest,
  address: string,
  now: number,
): Promise<Required<Quota>> {
  const key = await authenticate((text) => findApiKey(database, text), headers);
  return reportedQuota(await readRateLimitStatus(database, subjectOf(key, address), now));
}

function subjectOf(key: ApiKeyRecord | undefined, address: string): RateLimitSubject {
  return key ? keySubject(key.digest, key.limits) : addressSubject(address);
}

async function authenticate(
  findKey: NonNullable<RequestHandlerOptions['findKey']>,
  { authorization }: HttpHeaders,
): Promise<ApiKeyRecord | undefined> {
  if (typeof authorization !== 'string' || authorization.length > 1_100) return undefined;
  // RFC 6750 §2.1; the scheme is case-insensitive (RFC 9110 §11.1).
  const [, key] = /^bearer +(.*)$/is.exec(authorization) ?? [];
  return key === undefined ? undefined : findKey(key);
}

function enforceLimits({ rejectedAs, retryAt, countedAt }: RateLimitDecision): void {
  if (!rejectedAs) return;
  const seconds = Math.max(1, Math.ceil((retryAt - countedAt) / 1000));
  throw new Rejection(rejectedAs, limitMessages[rejectedAs], { 'retry-after': String(seconds) });
}

const limitMessages = {
  rate_limited: 'the rate limit is exceeded',
  key_banned: 'the API key is temporarily banned because it kept sending requests while it was rate limited',
};

function toRejection(error: unknown): Rejection {
  if (error instanceof Rejection) return error;
  if (!(error instanceof DatabaseError))
    return new Rejection('internal_error', 'the server failed; the server log contains the reason');
  const transient = transientErrors[error.reason];
  return transient
    ? new Rejection('unavailable', transient, { 'retry-after': '1' })
    : new Rejection('unavailable', 'the server cannot use its database', { 'retry-after': '30' });
}

const transientErrors: Partial<Readonly<Record<DatabaseErrorReason, string>>> = {
  away: 'the server cannot reach its database',
  busy: 'the server is busy',
};
