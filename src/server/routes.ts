import type { HttpRequest, HttpResponse } from '../api/http.js';
import { formatLink } from '../api/link-header.js';
import * as contract from '../api/operations.js';
import { matchPath } from '../api/path-template.js';
import { decodePercent } from '../format/decode-text.js';
import { JsonError, parseJson } from '../format/json.js';
import { listOrders } from './orders.js';
import { insertPet, readPet, readPetPage } from './pets.js';
import { Rejection } from './rejection.js';
import { jsonResponse } from './responses.js';
import { type Database, sql } from './sql.js';

/** In bytes. A server need not read on past it: one byte more is refused. */
export const maxBodyBytes = 65_536;

interface RouteContext {
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
  readonly handle: (scene: RouteContext) => Promise<HttpResponse>;
}

/** What each operation of the contract does. */
const routes: readonly Route[] = [
  operationRoute(contract.listPets, handleListPets),
  operationRoute(contract.createPet, async ({ database, body }) =>
    jsonResponse(201, await insertPet(database, body())),
  ),
  operationRoute(contract.getPet, handleGetPet),
  operationRoute(contract.listOrders, async () => jsonResponse(200, await listOrders())),
];

const publicRoutes: readonly Route[] = [
  { method: 'GET', path: '/healthz', handle: handleHealth },
  { method: 'GET', path: `${contract.versionSegment}/openapi.json`, handle: handleApiSpec },
];

function operationRoute(
  { id, method, path }: contract.Operation<never, unknown>,
  act: Route['handle'],
): Route {
  return { operation: id, method, handle: act, path: `${contract.versionSegment}${path}` };
}

/** Whether a route leads to what a path names. */
function matchesPath(path: string): (routeRequest: Route) => boolean {
  return (route) => matchPath(route.path, path) !== undefined;
}

/** The name of the operation of the interface that a request is for, whatever becomes of it; nothing for any other. */
export function findOperationId({ method, target }: HttpRequest): string | undefined {
  const [path = ''] = target.split('?');
  const asked = method === 'HEAD' ? 'GET' : method;
  return routes.filter(matchesPath(path)).find((route) => route.method === asked)?.operation;
}

/** True for what anyone may ask for. */
export function isPublicRequest({ target }: HttpRequest): boolean {
  const [path = ''] = target.split('?');
  return publicRoutes.some(matchesPath(path));
}

/** Carries a request out. Throws a `Rejection` where a rule refuses it. */
export async function route(
  request: HttpRequest,
  { database, now }: Pick<RouteContext, 'database' | 'now'>,
): Promise<HttpResponse> {
  const [path = '', ...query] = request.target.split('?');
  const found = [...routes, ...publicRoutes].filter(matchesPath(path));
  if (found.length === 0) throw new Rejection('not_found', 'there is no such path');
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const chosen = found.find((candidate) => candidate.method === method);
  if (!chosen) throw methodNotAllowed(found.map((candidate) => candidate.method));
  const parameters = new URLSearchParams(query.join('?'));
  return chosen.handle({
    database,
    now,
    query: (name) => parameters.getAll(name),
    parameter: matchPath(chosen.path, path) ?? '',
    body: () => parseBody(request),
  });
}

async function handleHealth({ database }: RouteContext): Promise<HttpResponse> {
  await database.read(sql`SELECT 1`);
  return jsonResponse(200, { status: 'ok' });
}

let apiSpecBody: Uint8Array | undefined;

async function handleApiSpec(): Promise<HttpResponse> {
  const { default: description } = await import('../../openapi.yaml');
  apiSpecBody ??= new TextEncoder().encode(description);
  return { status: 200, headers: { 'content-type': 'application/json' }, body: apiSpecBody };
}

async function handleListPets({ database, query }: RouteContext): Promise<HttpResponse> {
  const { pets, nextQuery: next } = await readPetPage(database, query);
  const target = `${contract.versionSegment}${contract.listPets.path}?${next}`;
  return jsonResponse(200, pets, next === undefined ? {} : { link: formatLink(target, 'next') });
}

/** Deprecated (RFC 9745) with a date of removal (RFC 8594), and gone from then on. */
async function handleGetPet({ database, now, parameter }: RouteContext): Promise<HttpResponse> {
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
    return jsonResponse(200, await readPet(database, decodeParameter(parameter)), headers);
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

function parseBody({ headers, body }: HttpRequest): unknown {
  const type = String(headers['content-type'] ?? '');
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new Rejection('unsupported_media_type', 'the body must be application/json');
  }
  if (headers['content-encoding'] !== undefined) {
    throw new Rejection('unsupported_media_type', 'the body must not be compressed');
  }
  if (body && body.length > maxBodyBytes) {
    throw new Rejection('payload_too_large', `the body must have at most ${maxBodyBytes} bytes`);
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
