import { expandPath, type HttpRequest } from '../api/http.js';
import type { Operation } from '../api/operations.js';
import { formatJson, toExactNumber } from '../format/json.js';

/** The service that requests are built for. */
export interface ServiceEndpoint {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The path of the base URL: `/v1`. */
  readonly basePath: string;
  readonly authorization: string;
  readonly userAgent: string;
}

/** A request that is written by hand instead of built from an operation. */
export interface RawRequest extends Omit<HttpRequest, 'origin' | 'headers' | 'httpVersion'> {
  /** Added to the client's own headers; names are lowercase. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns the request for an operation; members of `input` fill path, query and body by name. */
export function buildOperationRequest<Input>(
  operation: Operation<Input, unknown>,
  input: Input,
  endpoint: ServiceEndpoint,
): HttpRequest {
  const values = input as Readonly<Record<string, unknown>>;
  const path = expandPath(operation.path, (name) => String(values[name]));
  const parameters = operation.query.flatMap((name): [string, string][] =>
    values[name] === undefined ? [] : [[name, String(values[name])]],
  );
  const query = parameters.length === 0 ? '' : `?${new URLSearchParams(parameters)}`;
  const target = `${endpoint.basePath}${path}${query}`;
  const request = buildRequest(operation.method, target, endpoint);
  if (!operation.body) return request;
  const body = Object.fromEntries(
    operation.body.flatMap(({ name, type }) => {
      const value = values[name];
      if (value === undefined) return [];
      return [[name, type === 'int64' ? toExactNumber(String(value)) : value]];
    }),
  );
  return {
    ...request,
    headers: { ...request.headers, 'content-type': 'application/json' },
    body: new TextEncoder().encode(formatJson(body)),
  };
}

/** Returns a request without a body for a path and query on the service's origin. */
function buildRequest(
  method: string,
  target: string,
  { origin, authorization, userAgent }: ServiceEndpoint,
): HttpRequest {
  return {
    method,
    origin,
    target,
    headers: {
      authorization,
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': userAgent,
    },
  };
}

/** Returns a request that is written by hand; its headers are added to those of every request. */
export function buildRawRequest(
  { method, target, headers, ...rest }: RawRequest,
  endpoint: ServiceEndpoint,
): HttpRequest {
  const base = buildRequest(method, target, endpoint);
  return { ...base, ...rest, headers: { ...base.headers, ...headers } };
}
