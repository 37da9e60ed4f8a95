import { type ErrorBody, errorStatus, type ServerErrorCode } from '../api/error.js';
import { type HttpRequest, type HttpResponse, idempotencyKeyLifetimeMs } from '../api/http.js';
import { formatQuotaHeaders, type Quota } from '../api/rate-limit-headers.js';
import { formatJson } from '../format/json.js';

/** Error that becomes a response with an Error body. */
export class Rejection extends Error {
  override readonly name = 'Rejection';
  readonly code: ServerErrorCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;

  constructor(
    code: ServerErrorCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    status: number = errorStatus[code],
  ) {
    super(message);
    this.code = code;
    this.headers = headers;
    this.status = status;
  }
}

/** The client disconnected before its body was complete, so that no response is needed. */
export class RequestAborted extends Error {
  override readonly name = 'RequestAborted';
}

export function jsonResponse(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: new TextEncoder().encode(formatJson(value)),
  };
}

export function errorResponse({ code, message, headers, status }: Rejection): HttpResponse {
  const body: ErrorBody = { code, message, status };
  return jsonResponse(status, body, headers);
}

/**
 * Returns the response with Content-Length and, if the request was counted, rate-limit headers. Responses of API operations
 * announce that they honor `Idempotency-Key`. A response to HEAD has no body.
 */
export function withCommonHeaders(
  { method }: Pick<HttpRequest, 'method'>,
  { status, headers, body }: HttpResponse,
  { quota, isOperation = false }: { readonly quota?: Required<Quota> | undefined; readonly isOperation?: boolean },
): HttpResponse {
  return {
    status,
    // On Node.js 20, adding properties after a spread takes ten times as long.
    headers: {
      'content-length': String(body.length),
      ...(isOperation && operationHeaders),
      ...(quota && formatQuotaHeaders(quota)),
      ...headers,
    },
    body: method === 'HEAD' ? new Uint8Array() : body,
  };
}

const operationHeaders = { 'idempotency-key-lifetime': String(idempotencyKeyLifetimeMs / 1000) };

/**
 * Returns the response to a request that is rejected before it is counted. It has no rate-limit headers: those of another
 * key would mislead the client.
 */
export function uncountedResponse(request: Pick<HttpRequest, 'method'>, rejection: Rejection): HttpResponse {
  return withCommonHeaders(request, errorResponse(rejection), {});
}
