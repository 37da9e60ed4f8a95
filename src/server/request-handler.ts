import type { HttpHeaders, HttpResponse } from '../api/http.js';
import type { Quota } from '../api/rate-limit-headers.js';
import type { Clock } from '../clock.js';
import { createCounterDeletion } from './address-counters.js';
import { type ApiKeyRecord, findApiKey, isExpired } from './api-keys.js';
import { createHealthCheck } from './health-check.js';
import {
  addressSubject,
  countRequest,
  keySubject,
  type RateLimitDecision,
  type RateLimitSubject,
  readRateLimitStatus,
  reportedQuota,
} from './rate-limits.js';
import { errorResponse, Rejection, RequestAborted, withCommonHeaders } from './responses.js';
import { classifyPath, respondWithPetPage, routeRequest, type ServerRequest } from './routes.js';
import { type Database, DatabaseError, type DatabaseErrorReason } from './sql.js';
import { createVersionCache } from './version-cache.js';

/** Responds to a request from an address. Rejects with `RequestAborted`, and with errors that `onError` throws. */
export type RequestHandler = (request: ServerRequest, address: string) => Promise<HttpResponse>;

export interface RequestHandlerOptions {
  readonly database: Database;
  /** Length of the minute window, which tests shorten. */
  readonly minuteMs?: number | undefined;
  readonly clock: Clock;
  /** Looks up an API key (default: in the database). */
  readonly findKey?: (key: string) => Promise<ApiKeyRecord | undefined>;
  /** Whether the server is about to shut down. */
  readonly isDraining?: (() => boolean) | undefined;
  /** Called when a ban starts. */
  readonly onBan?: (() => void) | undefined;
  /** Called with unexpected errors: bugs and database failures. The client gets 500 or 503. */
  readonly onError: (error: unknown, requestId?: string) => void;
}

const maxCachedBytes = 65_536;

/** Creates the server as a function from request to response, without sockets. */
export function createRequestHandler({
  database,
  minuteMs,
  clock,
  findKey = createVersionCache(database, (key) => findApiKey(database, key), {
    maxEntries: 10_000,
    isCacheable: (record) => record !== undefined,
  }),
  isDraining = () => false,
  onBan,
  onError,
}: RequestHandlerOptions): RequestHandler {
  const checkHealth = createHealthCheck(database, clock, isDraining);
  const deleteCounters = createCounterDeletion(database, clock, onError);
  const listPets = createVersionCache(database, (query) => respondWithPetPage(database, query), {
    maxEntries: 256,
    isCacheable: ({ body }) => body.length <= maxCachedBytes,
  });
  return async (request, address) => {
    const pathKind = classifyPath(request);
    const isOperation = pathKind === 'operation';
    let quota: Required<Quota> | undefined;
    let owner = '';
    try {
      if (pathKind === 'public') {
        const subject = addressSubject(address);
        quota = reportedQuota(await readRateLimitStatus(database, subject, clock.now(), minuteMs));
      } else if (pathKind !== 'probe') {
        const key = await authenticate(findKey, request.headers, clock.now());
        if (key) request.onKey?.(key.prefix);
        const subject = subjectOf(key, address);
        // Rejecting limited addresses from memory was tried, and slows other clients down: 200 connections without a key then
        // send more requests, and a list on PostgreSQL takes 220 to 360 ms (median) instead of 50 to 60 ms.
        const decision = await countRequest(database, subject, clock.now(), minuteMs);
        if (decision.isNewBan) onBan?.();
        quota = decision.quota;
        enforceLimits(decision);
        if (!key) {
          deleteCounters();
          throw unauthorized();
        }
        owner = key.owner;
      }
      const readBody = request.readBody && (() => readBodyWithKey(request, findKey, clock));
      const response = await routeRequest(
        { ...request, readBody },
        { database, listPets, checkHealth, owner, now: clock.now() },
      );
      return withCommonHeaders(request, response, { quota, isOperation });
    } catch (error) {
      if (error instanceof RequestAborted) throw error;
      if (!(error instanceof Rejection)) onError(error, request.id);
      return withCommonHeaders(request, errorResponse(toRejection(error)), { quota, isOperation });
    }
  };
}

/** Returns the quota of a request's key or address without counting the request. */
export async function readQuota(
  database: Database,
  { headers, onKey }: ServerRequest,
  address: string,
  now: number,
): Promise<Required<Quota>> {
  const key = await authenticate((text) => findApiKey(database, text), headers, now);
  if (key) onKey?.(key.prefix);
  return reportedQuota(await readRateLimitStatus(database, subjectOf(key, address), now));
}

function subjectOf(key: ApiKeyRecord | undefined, address: string): RateLimitSubject {
  return key ? keySubject(key.owner, key.limits) : addressSubject(address);
}

async function authenticate(
  findKey: NonNullable<RequestHandlerOptions['findKey']>,
  { authorization }: HttpHeaders,
  now: number,
): Promise<ApiKeyRecord | undefined> {
  if (typeof authorization !== 'string' || authorization.length > 1_100) return undefined;
  // RFC 6750 §2.1; the scheme is case-insensitive (RFC 9110 §11.1).
  const [, key] = /^bearer +(.*)$/is.exec(authorization) ?? [];
  const record = key === undefined ? undefined : await findKey(key);
  return record && !isExpired(record, now) ? record : undefined;
}

/** Reads the body, which may take long, and checks that the API key was not revoked and did not expire meanwhile. */
async function readBodyWithKey(
  { readBody, headers }: ServerRequest,
  findKey: NonNullable<RequestHandlerOptions['findKey']>,
  clock: Clock,
): Promise<Uint8Array> {
  const body = (await readBody?.()) ?? new Uint8Array();
  if (!(await authenticate(findKey, headers, clock.now()))) throw unauthorized();
  return body;
}

function unauthorized(): Rejection {
  return new Rejection('unauthorized', 'the API key is missing or invalid', { 'www-authenticate': 'Bearer' });
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
  if (error.reason === 'full') {
    return new Rejection('database_full', 'the disk of the server is full', { 'retry-after': '30' });
  }
  const [message, retryAfter] = outages[error.reason] ?? ['the server cannot use its database', '30'];
  return new Rejection('unavailable', message, { 'retry-after': retryAfter });
}

/** Message and `Retry-After` by reason. */
const outages: Partial<Readonly<Record<DatabaseErrorReason, readonly [message: string, retryAfter: string]>>> = {
  away: ['the server cannot reach its database', '1'],
  busy: ['the server is busy', '1'],
};
