/** The Error body of the API spec (section 2). It leaves the values of `code` open. */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  /** Equal to the HTTP status of the response. */
  readonly status: number;
}

/** The HTTP status of each error code of the server. Some malformed requests get another one with `invalid_request`. */
export const errorStatus = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  idempotency_in_progress: 409,
  gone: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  rate_limited: 429,
  key_banned: 429,
  internal_error: 500,
  unavailable: 503,
  database_full: 503,
} as const;

export type ServerErrorCode = keyof typeof errorStatus;

/** Returns the code of an error that has none. Services send 409 and 422 for many reasons. */
export function errorCodeForStatus(status: number): string | undefined {
  return Object.entries(errorStatus).find(([code, each]) => each === status && !code.startsWith('idempotency_'))?.[0];
}
