import type { HttpResponse } from '../api/http.js';
import type { Clock } from '../clock.js';
import { formatNumber } from '../format/duration.js';
import { type ApiKeyRecord, findApiKey, isExpired } from './api-keys.js';
import { createHealthCheck } from './health-check.js';
import { respondWithPetPage } from './operations.js';
import {
  addressSubject,
  countRequest,
  createCounterDeletion,
  keySubject,
  type RateLimitDecision,
} from './rate-limits.js';
import type { RequestContext, Respond } from './request-context.js';
import { methodNotAllowed, Rejection } from './responses.js';
import type { Database } from './sql.js';

export interface RequestHandlerOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Length of the minute window, which tests shorten. */
  readonly minuteMs?: number | undefined;
  /** Looks up an API key (default: in the database). */
  readonly findKey?: (key: string) => Promise<ApiKeyRecord | undefined>;
  /** Whether the server is about to shut down. */
  readonly isDraining?: (() => boolean) | undefined;
  /** Wraps the operations, which run once a request is counted. */
  readonly wrapOperation?: ((operate: Respond) => Respond) | undefined;
  /** Files to serve to everyone, by path. */
  readonly files?: ReadonlyMap<string, HttpResponse>;
  /** Called with errors of work in the background. */
  readonly onError: (error: unknown) => void;
}

/** Maximum size of a request body. */
export const maxBodyBytes = 65_536;

const maxCachedBytes = 65_536;

/** Creates the server as a function from request to response, without sockets. */
export function createRequestHandler({
  database,
  clock,
  minuteMs,
  findKey = createVersionCache(database, (key) => findApiKey(database, key), {
    maxEntries: 10_000,
    isCacheable: (record) => record !== undefined,
  }),
  isDraining = () => false,
  wrapOperation = (operate) => operate,
  files = new Map(),
  onError,
}: RequestHandlerOptions): Respond {
  const checkHealth = createHealthCheck(database, clock, isDraining);
  const deleteCounters = createCounterDeletion(database, clock, onError);
  const listPets = createVersionCache(database, (query) => respondWithPetPage(database, query), {
    maxEntries: 256,
    isCacheable: ({ body }) => body.length <= maxCachedBytes,
  });
  const count = async (context: RequestContext) => {
    const { authorization } = context.headers;
    const given = typeof authorization === 'string' ? parseCredentials(authorization) : undefined;
    const key = given === undefined ? undefined : await findKey(given);
    const now = clock.now();
    if (key && !isExpired(key, now)) context.key = key;
    const subject = context.key ? keySubject(context.key) : addressSubject(context.address);
    // Rejecting limited addresses from memory was tried, and slows other clients down: 200 connections without a key then
    // send more requests, and a list on PostgreSQL takes 220 to 360 ms (median) instead of 50 to 60 ms.
    const decision = await countRequest(database, subject, now, minuteMs);
    context.quota = decision.quota;
    enforceLimits(decision);
    if (context.key) return;
    deleteCounters();
    throw new Rejection('unauthorized', 'the API key is missing or invalid', { 'www-authenticate': 'Bearer' });
  };
  const operate: Respond = async (context) => {
    const { resource, route } = context;
    if (!resource) throw new Rejection('not_found', 'this path does not exist');
    if (!route) throw methodNotAllowed(resource.routes.keys());
    const body = route.needsBody ? await readJsonBody(context) : noBody;
    return route.handle(context, { database, listPets, checkHealth, now: clock.now(), body });
  };
  const wrapped = wrapOperation(operate);
  return async (context): Promise<HttpResponse> => {
    const file = files.get(context.path);
    if (file && context.method !== 'GET' && context.method !== 'HEAD') throw methodNotAllowed(['GET']);
    if (file) return file;
    if (context.resource?.isPublic) return operate(context);
    await count(context);
    return wrapped(context);
  };
}

const noBody = new Uint8Array();

/** Returns the API key in an `Authorization` header (RFC 6750 §2.1); the scheme is case-insensitive (RFC 9110 §11.1). */
function parseCredentials(authorization: string): string | undefined {
  return authorization.length > 1_100 ? undefined : /^bearer +(.*)$/is.exec(authorization)?.[1];
}

/** Reads the body; what its headers rule out is rejected unread. */
async function readJsonBody({ headers, readBody, body: receivedBody = noBody }: RequestContext): Promise<Uint8Array> {
  const type = String(headers['content-type'] ?? '');
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new Rejection('unsupported_media_type', 'the Content-Type of the body must be application/json');
  }
  if (headers['content-encoding'] !== undefined) {
    throw new Rejection('unsupported_media_type', 'the body must not have a Content-Encoding');
  }
  if (Number(headers['content-length'] ?? 0) > maxBodyBytes) throw bodyTooLarge();
  const body = readBody ? await readBody() : receivedBody;
  if (body.length > maxBodyBytes) throw bodyTooLarge();
  return body;
}

function bodyTooLarge(): Rejection {
  return new Rejection('payload_too_large', `the body must not exceed ${formatNumber(maxBodyBytes)} bytes`);
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

/**
 * Returns a function that caches what `load` returns. The one rule: a value that was read is valid until `version` of the database
 * changes, which each `write` does, and each commit of another process; counters are never cached. A database without a
 * version caches nothing, and neither do values that `isCacheable` rules out.
 */
function createVersionCache<Value>(
  { version }: Database,
  load: (key: string) => Promise<Value>,
  { maxEntries, isCacheable }: { readonly maxEntries: number; readonly isCacheable: (value: Value) => boolean },
): (key: string) => Promise<Value> {
  if (!version) return load;
  const values = new Map<string, Value>();
  let cachedVersion = version();
  return async (key) => {
    const current = version();
    if (current !== cachedVersion) values.clear();
    cachedVersion = current;
    const cached = values.get(key);
    if (cached !== undefined) return cached;
    const value = await load(key);
    if (isCacheable(value) && version() === current && cachedVersion === current) {
      if (values.size >= maxEntries) values.clear();
      values.set(key, value);
    }
    return value;
  };
}
