export interface ErrorCodeInfo {
  /** A phrase that completes "This code means:". Code stands between backticks. */
  readonly meaning: string;
  /** An imperative phrase. */
  readonly fix: string;
}

export type ErrorCodes = Readonly<Record<string, ErrorCodeInfo>>;

/** The error codes that the server sends, and petstore reports. Other services send some of them, too. */
export const serverErrorCodes = {
  invalid_request: {
    meaning: 'the service rejected a value or the form of the request',
    fix: 'fix the value that the message names',
  },
  unauthorized: { meaning: 'the API key is missing or unknown (401)', fix: 'run `petstore auth login`' },
  forbidden: { meaning: 'the API key or the host is not allowed (403)', fix: 'check the API key and the base URL' },
  not_found: { meaning: 'the service has no such pet or path (404)', fix: 'check the id and the base URL' },
  method_not_allowed: { meaning: 'the path does not support the method (405)', fix: 'check `-X`' },
  idempotency_in_progress: {
    meaning: 'a request with the same `Idempotency-Key` is still running (409)',
    fix: 'retry with the same key',
  },
  gone: { meaning: 'the operation was removed (410)', fix: 'run the command that the hint names' },
  payload_too_large: { meaning: 'the request body is too large (413)', fix: 'send less data' },
  unsupported_media_type: {
    meaning: 'the request body is not uncompressed JSON (415)',
    fix: 'send uncompressed `application/json`',
  },
  idempotency_key_reused: {
    meaning: 'the `Idempotency-Key` was sent with another request body before (422)',
    fix: 'send a new key, or the body that the key was first sent with',
  },
  rate_limited: { meaning: 'the quota is used up (429)', fix: 'retry later, or increase `--max-wait`' },
  key_banned: { meaning: 'the API key is banned after many rejected requests (429)', fix: 'wait for the time shown' },
  unavailable: { meaning: 'the service cannot process requests now (503)', fix: 'retry later' },
  database_full: {
    meaning: 'the disk with the database is full, on this machine or on that of the service (503)',
    fix: 'free disk space, then retry',
  },
} as const satisfies ErrorCodes;

/** The error codes of `serve`. */
export const serveErrorCodes = {
  cannot_listen: { meaning: 'the server cannot listen at the address', fix: 'pass another `--port` or `--host`' },
  no_database: { meaning: 'the database does not exist', fix: 'run `petstore serve` first, or pass `--database`' },
  unknown_key: {
    meaning: 'the argument is not the label or the first characters of exactly one API key',
    fix: 'run `petstore serve keys list`',
  },
  label_in_use: { meaning: 'another API key of the server has this label', fix: 'pass another `--label`' },
  key_changed: {
    meaning: 'the API key was rotated, has expired, or was changed by another process at the same time',
    fix: 'run `petstore serve keys list`',
  },
} as const satisfies ErrorCodes;

/** The error codes of databases, the one of the sandbox among them. */
export const databaseErrorCodes = {
  database_full: serverErrorCodes.database_full,
  database_unavailable: {
    meaning: 'the database cannot be reached, or another process has locked it',
    fix: 'check that PostgreSQL is running, check the URL, then retry',
  },
  database_refused: {
    meaning: 'PostgreSQL denied access, or its TLS does not meet the requirements of the URL',
    fix: 'check the user, the password and `sslmode` in the URL, and the permissions of the user',
  },
  database_unusable: {
    meaning: 'the database is damaged, or a newer petstore has upgraded it',
    fix: 'upgrade petstore, restore a backup, or pass another `--database`',
  },
} as const satisfies ErrorCodes;
