import { type ErrorBody, errorStatus } from '../contract/error.js';
import type { HttpResponse } from '../contract/exchange.js';
import { formatJson } from '../text/json.js';
import type { Rejection } from './rejection.js';

/** An answer with a JSON body. */
export function jsonAnswer(
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
export function errorAnswer({ code, message, headers }: Rejection): HttpResponse {
  const status = errorStatus[code];
  const body: ErrorBody = { code, message, status };
  return jsonAnswer(status, body, headers);
}
