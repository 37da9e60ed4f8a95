import { matchPath } from '../api/http.js';
import { createPet, getPet, listOrders, listPets, type Operation, versionSegment } from '../api/operations.js';
import {
  handleApiSpec,
  handleCreatePet,
  handleGetPet,
  handleHealth,
  handleListPets,
  handleLiveness,
} from './operations.js';
import type { RequestContext, Route, ServerRequest } from './request-context.js';
import { jsonResponse } from './responses.js';

/** Everything that the server responds to, but for the API reference page. */
const routes: readonly Route[] = [
  operationRoute(listPets, handleListPets),
  operationRoute(createPet, handleCreatePet),
  operationRoute(getPet, handleGetPet),
  // Always empty: the API document names orders but no way to create one.
  operationRoute(listOrders, async () => jsonResponse(200, [])),
  publicRoute('/livez', handleLiveness),
  publicRoute('/readyz', handleHealth),
  publicRoute('/healthz', handleHealth),
  publicRoute(`${versionSegment}/openapi.json`, handleApiSpec),
];

function operationRoute({ id, method, path, body }: Operation<never, unknown>, handle: Route['handle']): Route {
  return { method, path: `${versionSegment}${path}`, operation: id, needsBody: body !== undefined, handle };
}

function publicRoute(path: string, handle: Route['handle']): Route {
  return { method: 'GET', path, operation: undefined, needsBody: false, handle };
}

/** The routes by their paths, for those without a parameter. */
const fixedRoutes = new Map(
  routes
    .filter(({ path }) => !path.includes('{'))
    .map(({ path }) => [path, routes.filter((route) => route.path === path)]),
);

/** Returns the context of a request: what it asks for, and from whom. */
export function openContext(request: ServerRequest, address: string, id = ''): RequestContext {
  const { method, target, headers } = request;
  // The authority of a URL replaces the Host header (RFC 9112 §3.2.2).
  const [, authority = String(headers.host ?? ''), local = target] = /^[a-z]+:\/\/([^/?]*)(.*)$/is.exec(target) ?? [];
  const at = local.indexOf('?');
  const path = (at < 0 ? local : local.slice(0, at)) || '/';
  const candidates = fixedRoutes.get(path) ?? routes.filter((route) => matchPath(route.path, path) !== undefined);
  // HEAD is handled as GET.
  const route = candidates.find((candidate) => candidate.method === (method === 'HEAD' ? 'GET' : method));
  // On Node.js 20, adding properties after a spread takes ten times as long.
  return {
    id,
    method,
    target,
    headers,
    isTls: request.isTls,
    body: request.body,
    readBody: request.readBody,
    address,
    authority,
    path,
    query: at < 0 ? '' : local.slice(at + 1),
    parameter: route === undefined ? '' : (matchPath(route.path, path) ?? ''),
    route,
    allowedMethods: candidates.map((candidate) => candidate.method),
    isPublic: candidates.length > 0 && candidates.every(({ operation }) => operation === undefined),
    key: undefined,
    quota: undefined,
    errorCode: undefined,
  };
}
