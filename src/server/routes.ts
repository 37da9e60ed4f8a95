import type { HttpRequest, HttpResponse } from '../api/http.js';
import { formatLink } from '../api/link-header.js';
import * as contract from '../api/operations.js';
import { matchPath } from '../api/path-template.js';
import { decodePercent } from '../format/decode-text.js';
import { JsonError, parseJson } from '../format/json.js';
import { listOrders } from './orders.js';
import { createPet, getPet, listPets } from './pets.js';
import { Rejection } from './rejection.js';
import { jsonAnswer } from './response.js';
import { type Database, sql } from './sql.js';

/** In bytes. A server need not read on past it: one byte more is refused. */
export const largestBody = 65_536;

interface Scene {
  readonly database: Database;
  readonly now: number;
  readonly query: (name: string) => readonly string[];
  readonly parameter: string;
  readonly body: () => unknown;
}

interface Route {
  /** Its name in the interface. */
  readonly operation?: string;
  readonly method: string;
  /** A template. */
  readonly path: string;
  readonly act: (scene: Scene) => Promise<HttpResponse>;
}

/** What each operation of the contract does. */
const routes: readonly Route[] = [
  routeOf(contract.listPets, answerList),
  routeOf(contract.createPet, async ({ database, body }) =>
    jsonAnswer(201, await createPet(database, body())),
  ),
  routeOf(contract.getPet, answerPet),
  routeOf(contract.listOrders, async () => jsonAnswer(200, await listOrders())),
];

const openRoutes: readonly Route[] = [
  { method: 'GET', path: '/healthz', act: answerHealth },
  { method: 'GET', path: `${contract.versionSegment}/openapi.json`, act: describe },
];

function routeOf(
  { id, method, path }: contract.Operation<never, unknown>,
  act: Route['act'],
): Route {
  return { operation: id, method, act, path: `${contract.versionSegment}${path}` };
}

/** Whether a route leads to what a path names. */
function leadsTo(path: string): (route: Route) => boolean {
  return (route) => matchPath(route.path, path) !== undefined;
}

/** The name of the operation of the interface that a request is for, whatever becomes of it; nothing for any other. */
export function operationOf({ method, target }: HttpRequest): string | undefined {
  const [path = ''] = target.split('?');
  const asked = method === 'HEAD' ? 'GET' : method;
  return routes.filter(leadsTo(path)).find((route) => route.method === asked)?.operation;
}

/** True for what anyone may ask for. */
export function needsNoKey({ target }: HttpRequest): boolean {
  const [path = ''] = target.split('?');
  return openRoutes.some(leadsTo(path));
}

/** Carries a request out. Throws a `Rejection` where a rule refuses it. */
export async function route(
  request: HttpRequest,
  { database, now }: Pick<Scene, 'database' | 'now'>,
): Promise<HttpResponse> {
  const [path = '', ...query] = request.target.split('?');
  const found = [...routes, ...openRoutes].filter(leadsTo(path));
  if (found.length === 0) throw new Rejection('not_found', 'there is no such path');
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const chosen = found.find((candidate) => candidate.method === method);
  if (!chosen) throw methodNotAllowed(found.map((candidate) => candidate.method));
  const parameters = new URLSearchParams(query.join('?'));
  return chosen.act({
    database,
    now,
    query: (name) => parameters.getAll(name),
    parameter: matchPath(chosen.path, path) ?? '',
    body: () => bodyOf(request),
  });
}

async function answerHealth({ database }: Scene): Promise<HttpResponse> {
  await database.read(sql`SELECT 1`);
  return jsonAnswer(200, { status: 'ok' });
}

let encoded: Uint8Array | undefined;

async function describe(): Promise<HttpResponse> {
  const { default: description } = await import('../../openapi.yaml');
  encoded ??= new TextEncoder().encode(description);
  return { status: 200, headers: { 'content-type': 'application/json' }, body: encoded };
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
  const decoded = decodePercent(text);
  if (decoded !== undefined) return decoded;
  throw new Rejection('invalid_request', 'the path is not percent-encoded UTF-8');
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

/** Refuses a method on a path that takes others. */
export function methodNotAllowed(methods: readonly string[]): Rejection {
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return new Rejection('method_not_allowed', `this path takes ${allowed.join(', ')}`, {
    allow: allowed.join(', '),
  });
}
