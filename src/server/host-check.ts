import { isLoopback } from '../api/http.js';
import type { Respond } from './request-context.js';
import { Rejection } from './responses.js';
import type { ServerOptions } from './server-options.js';

/**
 * Wraps what responds to requests to reject those with an unknown `Host` or a foreign `Origin`. A web page can point its
 * own host name at this server (DNS rebinding), but it cannot choose these two headers. The port of `Host` is ignored.
 */
export function withHostCheck(
  respond: Respond,
  { host, allowHost = [] }: Pick<ServerOptions, 'host' | 'allowHost'>,
): Respond {
  const knownNames = [host, ...allowHost].map((name) => toUrlHost(name).toLowerCase());
  // A server on all addresses accepts any IP address as `Host`: DNS rebinding needs a name.
  const isAnyAddress = isUnspecified(host);
  const isKnown = (name: string) =>
    knownNames.includes(name) || isLoopback(name) || (isAnyAddress && /^[0-9.]+$|^\[.+\]$/.test(name));
  return async (context) => {
    const { authority, isTls, headers } = context;
    // It is empty in HTTP/1.0, which no web page uses.
    if (authority !== '' && !isKnown(authority.replace(/:[0-9]*$/, '').toLowerCase())) {
      throw new Rejection('forbidden', 'unknown Host header; start the server with --allow-host <name> to accept it');
    }
    const { origin } = headers;
    if (origin !== undefined && !isSameOrigin(String(origin), `${isTls ? 'https' : 'http'}://${authority}`)) {
      throw new Rejection('forbidden', 'requests from web pages of another origin are forbidden');
    }
    return respond(context);
  };
}

/** Returns whether scheme, host and port are equal (RFC 6454 §5). */
function isSameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin;
}

/** Returns whether a server at this address listens on all addresses. */
export function isUnspecified(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Returns a host as in a URL, where an IPv6 address has brackets. */
export function toUrlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
