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
export interface RawRequest extends Omit<HttpRequest, 'origin' | 'headers'> {
  /** Added to the client's own headers; names are lowercase. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns the request for an operation; members of `input` fill path, query and body by name. */
export function buildOperationRequest<Input>(
  { method, path, query, body }: Operation<Input, unknown>,
  input: Input,
  endpoint: ServiceEndpoint,
): HttpRequest {
  const values = input as Readonly<Record<string, unknown>>;
  const parameters = query.flatMap((name): [string, string][] =>
    values[name] === undefined ? [] : [[name, String(values[name])]],
  );
  const search = parameters.length === 0 ? '' : `?${new URLSearchParams(parameters)}`;
  const target = `${endpoint.basePath}${expandPath(path, (name) => String(values[name]))}${search}`;
  if (!body) return buildRawRequest({ method, target, headers: {} }, endpoint);
  const members = body.flatMap(({ name, type }) => {
    const value = values[name];
    return value === undefined ? [] : [[name, type === 'int64' ? toExactNumber(String(value)) : value]];
  });
  const text = formatJson(Object.fromEntries(members));
  const headers = { 'content-type': 'application/json' };
  return buildRawRequest({ method, target, headers, body: new TextEncoder().encode(text) }, endpoint);
}

/** Returns a request to the service; its headers are added to those of every request. */
export function buildRawRequest(
  { headers, ...request }: RawRequest,
  { origin, authorization, userAgent }: ServiceEndpoint,
): HttpRequest {
  const ownHeaders = {
    authorization,
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': userAgent,
  };
  return { ...request, origin, headers: { ...ownHeaders, ...headers } };
}
