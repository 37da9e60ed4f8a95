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

/** A request without the origin and the headers of every request. */
export type RawRequest = Omit<HttpRequest, 'origin'>;

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
  const json = new TextEncoder().encode(formatJson(Object.fromEntries(members)));
  return buildRawRequest({ method, target, headers: { 'content-type': 'application/json' }, body: json }, endpoint);
}

/** Returns a request to the service; its headers are added to those of every request. */
export function buildRawRequest(
  { headers, ...request }: RawRequest,
  { origin, authorization, userAgent }: ServiceEndpoint,
): HttpRequest {
  const accepted = { accept: 'application/json', 'accept-encoding': 'identity' };
  return { ...request, origin, headers: { authorization, ...accepted, 'user-agent': userAgent, ...headers } };
}
