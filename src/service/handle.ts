import type { Clock } from '../contract/clock.js';
import type { Headers, HttpRequest, HttpResponse } from '../contract/exchange.js';
import { formatLink } from '../contract/link.js';
import * as contract from '../contract/operations.js';
import { type Limits, plans } from '../contract/plan.js';
import { formatQuota } from '../contract/quota.js';
import { JsonError, parseJson } from '../text/json.js';
import { errorAnswer, jsonAnswer } from './answer.js';
import { findKey, type KnownKey } from './keys.js';
import { countRequest, type Verdict, type WindowLengths } from './limits.js';
import { listOrders } from './orders.js';
import { createPet, getPet, listPets } from './pets.js';
import { Rejection } from './rejection.js';
import { type Database, DatabaseError } from './sql.js';

/** In bytes. A server need not read on past it: one byte more is refused. */
export const largestBody = 65_536;

/** Answers one request that came from an address; rejects only with what `onError` throws. */
export type Handle = (request: HttpRequest, address: string) => Promise<HttpResponse>;

export interface HandleOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Told of what should not happen: a bug, or a database that fails. The client is answered 500 or 503. */
  readonly onError: (error: unknown) => void;
  /** For whoever has no minute to wait for. */
  readonly windows?: WindowLengths | undefined;
}

/** The store as a function from request to answer; it knows no server. */
export function createHandle({ database, clock, onError, windows }: HandleOptions): Handle {
  return async (request, address) => {
    let counted = uncounted(clock.now());
    try {
      const key = await authenticate(database, request.headers);
      const verdict = await count(database, key, address, clock.now(), windows);
      counted = formatQuota(verdict.quota);
      refuseOverLimit(verdict, clock.now());
      if (!key) throw unauthorized();
      const answer = await route(request, { database, now: clock.now() });
      return finish(request, answer, counted);
    } catch (error) {
      if (!(error instanceof Rejection)) onError(error);
      return finish(request, errorAnswer(asRejection(error)), counted);
    }
  };
}

/** What is told where a request could not be counted: nothing is known to be left for now. */
function uncounted(now: number): Readonly<Record<string, string>> {
  return formatQuota({ limit: plans.free.perMinute, remaining: 0, resetAt: now + 1_000 });
}

interface Scene {
  readonly database: Database;
  readonly now: number;
  readonly query: (name: string) => readonly string[];
  readonly parameter: string;
  readonly body: () => unknown;
}

/** What each operation of the contract does. */
const routes = [
  routeOf(contract.listPets, answerList),
  routeOf(contract.createPet, async ({ database, body }) =>
    jsonAnswer(201, await createPet(database, body())),
  ),
  routeOf(contract.getPet, answerPet),
  routeOf(contract.listOrders, async () => jsonAnswer(200, await listOrders())),
];

function routeOf(
  { method, path }: contract.Operation<never, unknown>,
  act: (scene: Scene) => Promise<HttpResponse>,
) {
  const pattern = `^${contract.versionSegment}${path.replace(/\{[^}]+\}/, '([^/]+)')}$`;
  return { method, act, path: new RegExp(pattern) };
}

async function route(
  request: HttpRequest,
  { database, now }: Pick<Scene, 'database' | 'now'>,
): Promise<HttpResponse> {
  const [path = '', ...query] = request.target.split('?');
  const found = routes.filter((candidate) => candidate.path.test(path));
  if (found.length === 0) throw new Rejection('not_found', 'there is no such path');
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const chosen = found.find((candidate) => candidate.method === method);
  if (!chosen) throw methodNotAllowed(found.map((candidate) => candidate.method));
  const parameters = new URLSearchParams(query.join('?'));
  return chosen.act({
    database,
    now,
    query: (name) => parameters.getAll(name),
    parameter: chosen.path.exec(path)?.[1] ?? '',
    body: () => bodyOf(request),
  });
}

async function answerList({ database, query }: Scene): Promise<HttpResponse> {
  const { pets, next } = await listPets(database, query);
  const target = `${contract.versionSegment}${contract.listPets.path}?${next}`;
  return jsonAnswer(200, pets, next === undefined ? {} : { link: formatLink(target, 'next') });
}

/** Deprecated (RFC 9745) with a date of removal (RFC 8594), and gone from then on. */
async function answerPet({ database, now, parameter }: Scene): Promise<HttpResponse> {
  const { since, removal } = contract.getPetDeprecation;
  const successor = `${contract.versionSegment}${contract.listPets.path}`;
  const headers = {
    deprecation: `@${since / 1000}`,
    sunset: new Date(removal).toUTCString(),
    link: formatLink(successor, 'successor-version'),
  };
  if (now >= removal) {
    throw new Rejection('gone', `this operation was removed; list pets at ${successor}`, headers);
  }
  try {
    return jsonAnswer(200, await getPet(database, decodeParameter(parameter)), headers);
  } catch (error) {
    if (error instanceof Rejection) throw new Rejection(error.code, error.message, headers);
    throw error;
  }
}

function decodeParameter(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Rejection('invalid_request', 'the path is not percent-encoded UTF-8');
  }
}

function bodyOf({ headers, body }: HttpRequest): unknown {
  const type = String(headers['content-type'] ?? '');
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new Rejection('unsupported_media_type', 'the body must be application/json');
  }
  if (headers['content-encoding'] !== undefined) {
    throw new Rejection('unsupported_media_type', 'the body must not be compressed');
  }
  if (body && body.length > largestBody) {
    throw new Rejection('payload_too_large', `the body must have at most ${largestBody} bytes`);
  }
  try {
    return parseJson(body ?? new Uint8Array());
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new Rejection('invalid_request', `the body cannot be read: ${error.message}`);
  }
}

async function authenticate(database: Database, headers: Headers): Promise<KnownKey | undefined> {
  const credentials = headers.authorization;
  if (typeof credentials !== 'string' || credentials.length > 1_100) return undefined;
  const key = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(credentials)?.[1];
  return key === undefined ? undefined : findKey(database, key);
}

/** A request without a good key is counted by its address, at the Free plan's limits. */
async function count(
  database: Database,
  key: KnownKey | undefined,
  address: string,
  now: number,
  windows: WindowLengths | undefined,
): Promise<Verdict> {
  const limits: Limits = key?.limits ?? plans.free;
  const subject = key ? `key ${key.digest}` : `address ${address}`;
  return countRequest(database, subject, limits, key !== undefined, now, windows);
}

function refuseOverLimit({ refused, retryAt }: Verdict, now: number): void {
  if (!refused) return;
  const seconds = Math.max(1, Math.ceil((retryAt - now) / 1000));
  throw new Rejection(
    refused,
    refused === 'key_banned'
      ? 'the key is banned for a while, since it kept sending requests while it was being refused'
      : 'the request limit is exceeded',
    { 'retry-after': String(seconds) },
  );
}

function unauthorized(): Rejection {
  return new Rejection('unauthorized', 'the API key is missing or not known', {
    'www-authenticate': 'Bearer',
  });
}

function methodNotAllowed(methods: readonly string[]): Rejection {
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return new Rejection('method_not_allowed', `this path takes ${allowed.join(', ')}`, {
    allow: allowed.join(', '),
  });
}

function asRejection(error: unknown): Rejection {
  if (error instanceof Rejection) return error;
  return error instanceof DatabaseError && error.reason === 'busy'
    ? new Rejection('unavailable', 'the store is busy', { 'retry-after': '1' })
    : new Rejection('internal_error', 'the store failed');
}

function finish(
  request: HttpRequest,
  { status, headers, body }: HttpResponse,
  counted: Readonly<Record<string, string>>,
): HttpResponse {
  return {
    status,
    headers: { ...headers, ...counted, 'content-length': String(body.length) },
    body: request.method === 'HEAD' ? new Uint8Array() : body,
  };
}
