import { type ErrorBody, errorStatus, type ServerErrorCode } from '../api/error.js';
import { type HttpResponse, idempotencyKeyLifetimeMs } from '../api/http.js';
import { formatQuotaHeaders } from '../api/rate-limit-headers.js';
import { formatJson } from '../format/json.js';
import type { Respond } from './request-context.js';
import { DatabaseError, type DatabaseErrorReason } from './sql.js';

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

/** Thrown to reset the connection instead of sending a response. */
export class ConnectionReset extends Error {
  override readonly name = 'ConnectionReset';
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

export function rejectionResponse({ code, message, headers, status }: Rejection): HttpResponse {
  const body: ErrorBody = { code, message, status };
  return jsonResponse(status, body, headers);
}

export function methodNotAllowed(methods: Iterable<string>): Rejection {
  const allowed = [...methods].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
  return new Rejection('method_not_allowed', `this path supports only ${allowed}`, { allow: allowed });
}

/**
 * Wraps what responds to requests: rejections and errors become responses, and every response gets its Content-Length. A
 * request that was counted reports its quota. The responses of API operations announce that they honor
 * `Idempotency-Key`. A response to HEAD has no body.
 */
export function completeResponses(respond: Respond, onError: (error: unknown, requestId: string) => void): Respond {
  return async (context) => {
    const { method, resource } = context;
    const { status, headers, body } = await respond(context).catch((error: unknown) => {
      if (error instanceof RequestAborted || error instanceof ConnectionReset) throw error;
      if (!(error instanceof Rejection)) onError(error, context.id);
      const rejection = toRejection(error);
      context.errorCode = rejection.code;
      return rejectionResponse(rejection);
    });
    return {
      status,
      // On Node.js 20, adding properties after a spread takes ten times as long.
      headers: {
        'content-length': String(body.length),
        ...(resource?.isPublic === false && operationHeaders),
        ...(context.quota && formatQuotaHeaders(context.quota)),
        ...headers,
      },
      body: method === 'HEAD' ? new Uint8Array() : body,
    };
  };
}

const operationHeaders = { 'idempotency-key-lifetime': String(idempotencyKeyLifetimeMs / 1000) };

function toRejection(error: unknown): Rejection {
  if (error instanceof Rejection) return error;
  if (!(error instanceof DatabaseError))
    return new Rejection('internal_error', 'the server failed; the server log contains the reason');
  if (error.reason === 'full') {
    return new Rejection('database_full', 'the disk of the server is full', { 'retry-after': '30' });
  }
  const [message, retryAfter] = outages[error.reason] ?? ['the server cannot use its database', '30'];
  return new Rejection('unavailable', message, { 'retry-after': retryAfter });
}

/** Message and `Retry-After` by reason. */
const outages: Partial<Readonly<Record<DatabaseErrorReason, readonly [message: string, retryAfter: string]>>> = {
  away: ['the server cannot reach its database', '1'],
  busy: ['the server is busy', '1'],
};
