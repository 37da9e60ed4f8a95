import type { Headers, HttpRequest, HttpResponse } from '../api/http.js';
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
  type WindowLengths,
} from './rate-limits.js';
import { Rejection } from './rejection.js';
import { errorResponse, unknownQuota, withQuotaHeaders } from './responses.js';
import { isPublicRequest, route } from './routes.js';
import { type Database, DatabaseError, type DatabaseErrorReason } from './sql.js';

/** Answers one request that came from an address; rejects only with what `onError` throws. */
export type RequestHandler = (request: HttpRequest, address: string) => Promise<HttpResponse>;

type FindKey = (key: string) => Promise<ApiKeyRecord | undefined>;

export interface RequestHandlerOptions {
  readonly database: Database;
  readonly windows?: WindowLengths | undefined;
  /** Called when a ban starts. */
  readonly onBan?: (() => void) | undefined;
  readonly clock: Clock;
  /** Finds a key that is known, if not among those of the database. */
  readonly findKey?: FindKey;
  /** Told of what should not happen: a bug, or a database that fails. The client is answered 500 or 503. */
  readonly onError: (error: unknown) => void;
}

/** The store as a function from request to answer; it knows no server. */
export function createRequestHandler({
  database,
  windows,
  onBan,
  clock,
  findKey: find = findKeyIn(database),
  onError,
}: RequestHandlerOptions): RequestHandler {
  let isFailing = false;
  const checkWrite = () => countRequest(database, addressSubject('/healthz'), clock.now());
  return async (request, address) => {
    let quota = unknownQuota(clock.now());
    try {
      if (isPublicRequest(request)) {
        const status = await readRateLimitStatus(
          database,
          addressSubject(address),
          clock.now(),
          windows,
        );
        quota = reportedQuota(status);
        // Whoever watches the store may keep all else away until it is well: only this can find that it is.
        if (isFailing) await checkWrite();
        isFailing = false;
      } else {
        const key = await authenticate(find, request.headers);
        const decision = await countRequest(
          database,
          subjectOf(key, address),
          clock.now(),
          windows,
        );
        isFailing = false;
        if (decision.isNewBan) onBan?.();
        quota = decision.quota;
        enforceLimits(decision, clock.now());
        if (!key) throw unauthorizedRejection();
      }
      const answer = await route(request, { database, now: clock.now() });
      return withQuotaHeaders(request, answer, quota);
    } catch (error) {
      // Whoever watches the store is told until something could be written again.
      isFailing ||= error instanceof DatabaseError && error.reason !== 'busy';
      if (!(error instanceof Rejection)) onError(error);
      return withQuotaHeaders(request, errorResponse(toRejection(error)), quota);
    }
  };
}

/** Tells what a request's key or address has left, and counts nothing. */
export function createQuotaReader({
  database,
  windows,
  clock,
}: Pick<RequestHandlerOptions, 'database' | 'windows' | 'clock'>): (
  request: HttpRequest,
  address: string,
) => Promise<Required<Quota>> {
  return async ({ headers }, address) => {
    const subject = subjectOf(await authenticate(findKeyIn(database), headers), address);
    return reportedQuota(await readRateLimitStatus(database, subject, clock.now(), windows));
  };
}

function findKeyIn(database: Database): FindKey {
  return (key) => findApiKey(database, key);
}

async function authenticate(find: FindKey, headers: Headers): Promise<ApiKeyRecord | undefined> {
  const credentials = headers.authorization;
  if (typeof credentials !== 'string' || credentials.length > 1_100) return undefined;
  // RFC 6750 §2.1, whose scheme is in any case (RFC 9110 §11.1). What is no token is no known key either.
  const isBearer = credentials.slice(0, 7).toLowerCase() === 'bearer ';
  return isBearer ? find(credentials.slice(7).replace(/^ +/, '')) : undefined;
}

function subjectOf(key: ApiKeyRecord | undefined, address: string): RateLimitSubject {
  return key ? keySubject(key) : addressSubject(address);
}

function enforceLimits({ rejectedAs, retryAt }: RateLimitDecision, now: number): void {
  if (!rejectedAs) return;
  const seconds = Math.max(1, Math.ceil((retryAt - now) / 1000));
  throw new Rejection(
    rejectedAs,
    rejectedAs === 'key_banned'
      ? 'the key is banned for a while, since it kept sending requests while it was being refused'
      : 'the request limit is exceeded',
    { 'retry-after': String(seconds) },
  );
}

function unauthorizedRejection(): Rejection {
  return new Rejection('unauthorized', 'the API key is missing or not known', {
    'www-authenticate': 'Bearer',
  });
}

function toRejection(error: unknown): Rejection {
  if (error instanceof Rejection) return error;
  if (!(error instanceof DatabaseError)) return new Rejection('internal_error', 'the store failed');
  const passing = transientErrors[error.reason];
  return passing
    ? new Rejection('unavailable', passing, { 'retry-after': '1' })
    : unusableDatabaseRejection();
}

/** What is over by itself, and mostly soon. */
const transientErrors: Partial<Readonly<Record<DatabaseErrorReason, string>>> = {
  away: 'the store cannot reach its database',
  busy: 'the store is busy',
};

function unusableDatabaseRejection(): Rejection {
  return new Rejection('unavailable', 'the store cannot use its database', { 'retry-after': '30' });
}
