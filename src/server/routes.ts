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
import type { RequestContext, Resource, Route, ServerRequest } from './request-context.js';
import { jsonResponse } from './responses.js';

/** Everything that the server responds to, but for the API reference page. */
const resources: readonly Resource[] = [
  apiResource([listPets, handleListPets], [createPet, handleCreatePet]),
  apiResource([getPet, handleGetPet]),
  // Always empty: the API document names orders but no way to create one.
  apiResource([listOrders, async () => jsonResponse(200, [])]),
  publicResource('/livez', handleLiveness),
  publicResource('/readyz', handleHealth),
  publicResource('/healthz', handleHealth),
  publicResource(`${versionSegment}/openapi.json`, handleApiSpec),
];

type Entry = readonly [operation: Operation<never, unknown>, handle: Route['handle']];

/** Operations that have the same path. */
function apiResource(first: Entry, ...others: readonly Entry[]): Resource {
  const routes = [first, ...others].map(
    ([{ id, method, body }, handle]) => [method, { operation: id, needsBody: body !== undefined, handle }] as const,
  );
  return { path: `${versionSegment}${first[0].path}`, isPublic: false, routes: new Map(routes) };
}

function publicResource(path: string, handle: Route['handle']): Resource {
  return { path, isPublic: true, routes: new Map([['GET', { operation: undefined, needsBody: false, handle }]]) };
}

/** Returns the context of a request: what it asks for, and from whom. */
export function openContext(request: ServerRequest, address: string, id = ''): RequestContext {
  const { method, target, headers } = request;
  // The authority of a URL replaces the Host header (RFC 9112 §3.2.2).
  const [, authority = String(headers.host ?? ''), local = target] = /^[a-z]+:\/\/([^/?]*)(.*)$/is.exec(target) ?? [];
  const at = local.indexOf('?');
  const path = (at < 0 ? local : local.slice(0, at)) || '/';
  const resource = resources.find((each) => each.path === path || matchPath(each.path, path) !== undefined);
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
    resource,
    // HEAD is handled as GET.
    route: resource?.routes.get(method === 'HEAD' ? 'GET' : method),
    key: undefined,
    quota: undefined,
    errorCode: undefined,
  };
}
