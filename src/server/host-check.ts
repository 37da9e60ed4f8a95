import type { HttpRequest } from '../api/http.js';
import { isLoopback } from '../api/loopback.js';
import type { Clock } from '../clock.js';
import { Rejection } from './rejection.js';
import type { RequestHandler } from './request-handler.js';
import { errorResponse, unknownQuota, withQuotaHeaders } from './responses.js';

export interface HostCheckOptions {
  /** The address that is listened on. */
  readonly host: string;
  /** Names that lead here besides. */
  readonly allowedHosts: readonly string[];
  readonly clock: Clock;
}

/**
 * Lets requests through that name this store. A page in a browser can make its own name lead here (DNS
 * rebinding), but it cannot choose what `Host` and `Origin` say. The port of `Host` is not looked at.
 */
export function withHostCheck(
  handle: RequestHandler,
  { host, allowedHosts: allowed, clock }: HostCheckOptions,
): RequestHandler {
  const known = new Set([host, ...allowed].map(lowerCase));
  // Where every address of the machine is listened on, any may be named: only names can be made to lead here.
  const isOpen = /^(0+(\.0+){0,3}|[0:]*::[0:]*)$/.test(host);
  const isKnown = (name: string) =>
    known.has(name) || isLoopback(name) || (isOpen && /^[0-9.]+$|:/.test(name));
  return async (request, address) => {
    const rejection = findRejection(request, isKnown);
    if (!rejection) return handle(request, address);
    return withQuotaHeaders(request, errorResponse(rejection), unknownQuota(clock.now()));
  };
}

function findRejection(
  { headers: { host, origin }, target }: HttpRequest,
  isKnown: (name: string) => boolean,
): Rejection | undefined {
  if (typeof host !== 'string')
    return new Rejection('invalid_request', 'one Host header is needed');
  if (!isKnown(parseHostName(host))) {
    return new Rejection('forbidden', 'this Host is not served; --allow-host adds a name');
  }
  if (!target.startsWith('/')) {
    return new Rejection('invalid_request', 'the request line must hold a path');
  }
  if (origin === undefined || lowerCase(String(origin)) === `http://${lowerCase(host)}`) {
    return undefined;
  }
  return new Rejection('forbidden', 'web pages of another origin are not served');
}

/** The name in a `Host` header, without port and brackets, in lower case. */
function parseHostName(authority: string): string {
  const [, address, name] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::[0-9]*)?$/.exec(authority) ?? [];
  return lowerCase(address ?? name ?? '');
}

function lowerCase(text: string): string {
  return text.toLowerCase();
}
