import type { HttpRequest } from '../api/http.js';
import type { Operation } from '../api/operations.js';
import { expandPath } from '../api/path-template.js';
import { formatJson, toExactNumber } from '../format/json.js';

/** The service that requests are made for. */
export interface Destination {
  /** Scheme, host and port. */
  readonly origin: string;
  /** What every path starts with: `/v1`. */
  readonly path: string;
  readonly authorization: string;
  readonly userAgent: string;
}

/** The request of an operation: the input's members fill path, query and body by name. */
export function requestOf<Input>(
  operation: Operation<Input, unknown>,
  input: Input,
  destination: Destination,
): HttpRequest {
  const values = input as Readonly<Record<string, unknown>>;
  const path = expandPath(operation.path, (name) => String(values[name]));
  const given = operation.query.flatMap((name): [string, string][] =>
    values[name] === undefined ? [] : [[name, String(values[name])]],
  );
  const query = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  const target = `${destination.path}${path}${query}`;
  const request = requestTo(operation.method, target, destination);
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

/** A request without a body to a path and query on the service's origin. */
export function requestTo(
  method: string,
  target: string,
  { origin, authorization, userAgent }: Destination,
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
