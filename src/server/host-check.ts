import { type HttpRequest, isLoopback } from '../api/http.js';
import type { RequestHandler } from './request-handler.js';
import { Rejection, uncountedResponse } from './responses.js';

export interface HostCheckOptions {
  /** Address that the server listens on. */
  readonly host: string;
  /** Further allowed names. */
  readonly allowedHosts: readonly string[];
}

/**
 * Wraps a handler to reject requests with an unknown `Host` or a foreign `Origin`. A web page can point its own host
 * name at this server (DNS rebinding), but it cannot choose these two headers. The port of `Host` is ignored. The handler
 * gets an absolute-form target (RFC 9112 §3.2.2) as path and query.
 */
export function withHostCheck(handler: RequestHandler, { host, allowedHosts }: HostCheckOptions): RequestHandler {
  const knownNames = new Set([host, ...allowedHosts].map((name) => name.toLowerCase()));
  // A server on all addresses accepts any IP address as `Host`: DNS rebinding needs a name.
  const isAnyAddress = isUnspecified(host);
  const isKnown = (name: string) =>
    knownNames.has(name) || isLoopback(name) || (isAnyAddress && /^[0-9.]+$|:/.test(name));
  return async (request, address) => {
    const checked = checkRequest(request, isKnown);
    return checked instanceof Rejection ? uncountedResponse(request, checked) : handler(checked, address);
  };
}

/** Returns whether a server at this address listens on all addresses. */
export function isUnspecified(host: string): boolean {
  return /^(0+(\.0+){0,3}|[0:]*::[0:]*)$/.test(host);
}

/** Returns the request with its target as path and query, or why it is rejected. */
function checkRequest(request: HttpRequest, isKnown: (name: string) => boolean): HttpRequest | Rejection {
  try {
    const { authority, target } = parseRequestTarget(request);
    checkHost(authority, isKnown);
    checkOrigin(request, authority);
    return { ...request, target };
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
}

/** The host and port of a request, or undefined if it names none. */
type Authority = string | undefined;

/** Returns the authority of a request, and its target as path and query. Throws a `Rejection` if it is malformed. */
function parseRequestTarget({ headers: { host }, origin, target, httpVersion }: HttpRequest): {
  readonly authority: Authority;
  readonly target: string;
} {
  // HTTP/1.0 has no Host header (RFC 9112 §3.2).
  const isHostMissing = host === undefined && httpVersion !== '1.0';
  if (isHostMissing || (host !== undefined && typeof host !== 'string')) {
    throw new Rejection('invalid_request', 'exactly one Host header is required');
  }
  if (target.startsWith('/')) return { authority: host, target };
  const [, scheme = '', authority, path = ''] = /^([a-z]+:)\/\/([^/?]*)(.*)$/is.exec(target) ?? [];
  if (scheme.toLowerCase() !== schemeOf(origin)) {
    throw new Rejection('invalid_request', 'the request target must be a path or a URL of this server');
  }
  // The Host header is ignored then (RFC 9112 §3.2.2).
  return { authority, target: path.startsWith('/') ? path : `/${path}` };
}

function checkHost(authority: Authority, isKnown: (name: string) => boolean): void {
  if (authority === undefined || isKnown(parseHost(authority, '')?.name ?? '')) return;
  throw new Rejection('forbidden', 'unknown Host header; start the server with --allow-host <name> to accept it');
}

/** Throws a `Rejection` unless scheme, host and port of `Origin` are those of the request (RFC 6454 §5). */
function checkOrigin({ headers, origin }: HttpRequest, authority: Authority): void {
  if (headers.origin === undefined) return;
  const [, scheme = '', host = ''] = /^([a-z]+:)\/\/(.*)$/is.exec(String(headers.origin)) ?? [];
  const expectedScheme = schemeOf(origin);
  const expected = parseHost(authority ?? '', expectedScheme);
  const actual = parseHost(host, scheme.toLowerCase());
  const isSameHost = expected !== undefined && expected.name === actual?.name && expected.port === actual.port;
  if (scheme.toLowerCase() === expectedScheme && isSameHost) return;
  throw new Rejection('forbidden', 'requests from web pages of another origin are forbidden');
}

function schemeOf(origin: string): string {
  return origin.startsWith('https:') ? 'https:' : 'http:';
}

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** Returns the name in lower case, without brackets, and the port. Returns undefined if the text is malformed. */
function parseHost(text: string, scheme: string) {
  const [match, address, name = '', port] = /^(?:\[([^\]]*)\]|([^:[\]/?#@]+))(?::([0-9]*))?$/.exec(text) ?? [];
  if (match === undefined) return undefined;
  return { name: (address ?? name).toLowerCase(), port: port ? Number(port) : defaultPorts[scheme] };
}
