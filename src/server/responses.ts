import { type ErrorBody, errorStatus } from '../api/error.js';
import type { HttpRequest, HttpResponse } from '../api/http.js';
import { plans } from '../api/plan.js';
import { formatQuota, type Quota } from '../api/rate-limit-headers.js';
import { formatJson } from '../format/json.js';
import type { Rejection } from './rejection.js';

/** An answer with a JSON body. */
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

/** An answer with the interface's Error body. */
export function errorResponse({ code, message, headers }: Rejection): HttpResponse {
  const status = errorStatus[code];
  const body: ErrorBody = { code, message, status };
  return jsonResponse(status, body, headers);
}

/** The answer as it is sent: with the quota, and to HEAD without its body. */
export function withQuotaHeaders(
  { method }: Pick<HttpRequest, 'method'>,
  { status, headers, body }: HttpResponse,
  quota: Required<Quota>,
): HttpResponse {
  return {
    status,
    headers: { ...headers, ...formatQuota(quota), 'content-length': String(body.length) },
    body: method === 'HEAD' ? new Uint8Array() : body,
  };
}

/** What is told where a request could not be counted: nothing is known to be left for now. */
export function unknownQuota(now: number): Required<Quota> {
  return { limit: plans.free.perMinute, remaining: 0, resetAt: now + 1_000 };
}
