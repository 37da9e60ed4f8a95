import { type HttpRequest, isLoopback } from '../api/http.js';
import type { Clock } from '../clock.js';
import type { RequestHandler } from './request-handler.js';
import { Rejection, uncountedResponse } from './responses.js';

export interface HostCheckOptions {
  /** Address that the server listens on. */
  readonly host: string;
  /** Further allowed names. */
  readonly allowedHosts: readonly string[];
  readonly clock: Clock;
}

/**
 * Wraps a handler to reject requests with an unknown `Host` or a foreign `Origin`. A web page can point its own host
 * name at this server (DNS rebinding), but it cannot choose these two headers. The port of `Host` is ignored.
 */
export function withHostCheck(
  handler: RequestHandler,
  { host, allowedHosts, clock }: HostCheckOptions,
): RequestHandler {
  const known = new Set([host, ...allowedHosts].map((name) => name.toLowerCase()));
  // A server on all addresses accepts any IP address as `Host`: DNS rebinding needs a name.
  const listensOnAll = /^(0+(\.0+){0,3}|[0:]*::[0:]*)$/.test(host);
  const isKnown = (name: string) => known.has(name) || isLoopback(name) || (listensOnAll && /^[0-9.]+$|:/.test(name));
  return async (request, address) => {
    const rejection = findRejection(request, isKnown);
    return rejection ? uncountedResponse(request, rejection, clock.now()) : handler(request, address);
  };
}

function findRejection(
  { headers: { host, origin }, target }: HttpRequest,
  isKnown: (name: string) => boolean,
): Rejection | undefined {
  if (typeof host !== 'string') return new Rejection('invalid_request', 'exactly one Host header is required');
  if (!isKnown(parseHostName(host))) {
    return new Rejection('forbidden', 'unknown Host header; start the server with --allow-host <name> to accept it');
  }
  if (!target.startsWith('/')) {
    return new Rejection('invalid_request', 'the request target must be a path');
  }
  const isSameOrigin = String(origin).toLowerCase() === `http://${host.toLowerCase()}`;
  if (origin === undefined || isSameOrigin) return undefined;
  return new Rejection('forbidden', 'requests from web pages of another origin are forbidden');
}

/** Returns the name in a `Host` header in lower case, without port and brackets. */
function parseHostName(header: string): string {
  const [, address, name] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::[0-9]*)?$/.exec(header) ?? [];
  return (address ?? name ?? '').toLowerCase();
}
