import { isLoopback } from '../api/http.js';
import type { Respond, ServerRequest } from './request-context.js';
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
  const knownNames = new Set([host, ...allowHost].map((name) => name.toLowerCase()));
  // A server on all addresses accepts any IP address as `Host`: DNS rebinding needs a name.
  const isAnyAddress = isUnspecified(host);
  const isKnown = (name: string) =>
    knownNames.has(name) || isLoopback(name) || (isAnyAddress && /^[0-9.]+$|:/.test(name));
  return async (context) => {
    const authority = parseAuthority(context);
    if (authority !== undefined && !isKnown(parseHost(authority, '')?.name ?? '')) {
      throw new Rejection('forbidden', 'unknown Host header; start the server with --allow-host <name> to accept it');
    }
    checkOrigin(context, authority);
    return respond(context);
  };
}

/** Returns whether a server at this address listens on all addresses. */
export function isUnspecified(host: string): boolean {
  return /^(0+(\.0+){0,3}|[0:]*::[0:]*)$/.test(host);
}

/** The host and port of a request, or undefined if it names none. */
type Authority = string | undefined;

/** Returns the authority of a request. Throws a `Rejection` if that or the target is malformed. */
function parseAuthority({ headers: { host }, origin, target, httpVersion }: ServerRequest): Authority {
  // HTTP/1.0 has no Host header (RFC 9112 §3.2).
  const isHostMissing = host === undefined && httpVersion !== '1.0';
  if (isHostMissing || (host !== undefined && typeof host !== 'string')) {
    throw new Rejection('invalid_request', 'exactly one Host header is required');
  }
  if (target.startsWith('/')) return host;
  const [, scheme = '', authority] = /^([a-z]+:)\/\/([^/?]*)/i.exec(target) ?? [];
  if (scheme.toLowerCase() !== schemeOf(origin)) {
    throw new Rejection('invalid_request', 'the request target must be a path or a URL of this server');
  }
  // The Host header is ignored then (RFC 9112 §3.2.2).
  return authority;
}

/** Throws a `Rejection` unless scheme, host and port of `Origin` are those of the request (RFC 6454 §5). */
function checkOrigin({ headers, origin }: ServerRequest, authority: Authority): void {
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
