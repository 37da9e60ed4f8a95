/** The Error body of the API spec (section 2). It leaves the values of `code` open. */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  /** Equal to the HTTP status of the response. */
  readonly status: number;
}

/** The HTTP status of each error code of the server. */
export const errorStatus = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  gone: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  expectation_failed: 417,
  rate_limited: 429,
  key_banned: 429,
  headers_too_large: 431,
  internal_error: 500,
  not_implemented: 501,
  unavailable: 503,
  http_version_not_supported: 505,
} as const;

export type ServerErrorCode = keyof typeof errorStatus;

export function errorCodeForStatus(status: number): string | undefined {
  return Object.entries(errorStatus).find(([, each]) => each === status)?.[0];
}
