export interface ErrorCodeInfo {
  /** A phrase that completes "This code means:". Code stands between backticks. */
  readonly meaning: string;
  /** An imperative phrase. */
  readonly fix: string;
}

export type ErrorCodes = Readonly<Record<string, ErrorCodeInfo>>;

/** The error codes that the server sends, and petstore reports. Other services send some of them, too. */
export const serverErrorCodes = {
  invalid_request: { meaning: 'the service rejected a value (400)', fix: 'fix the value that the message names' },
  unauthorized: { meaning: 'the API key is missing or unknown (401)', fix: 'run `petstore auth login`' },
  forbidden: { meaning: 'the API key or the host is not allowed (403)', fix: 'check the API key and the base URL' },
  not_found: { meaning: 'the service has no such pet or path (404)', fix: 'check the id and the base URL' },
  method_not_allowed: { meaning: 'the path does not support the method (405)', fix: 'check `-X`' },
  request_timeout: { meaning: 'the request took too long to arrive (408)', fix: 'retry' },
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
  expectation_failed: { meaning: 'the `Expect` header is not supported (417)', fix: 'remove the header' },
  idempotency_key_reused: {
    meaning: 'the `Idempotency-Key` was sent with another request body before (422)',
    fix: 'send a new key, or the body that the key was first sent with',
  },
  rate_limited: { meaning: 'the quota is used up (429)', fix: 'retry later, or increase `--max-wait`' },
  key_banned: { meaning: 'the API key is banned after many rejected requests (429)', fix: 'wait for the time shown' },
  headers_too_large: {
    meaning: 'the headers of the request (431) or of the response are too large',
    fix: 'send fewer or shorter headers, or check the base URL',
  },
  not_implemented: { meaning: 'the service does not support the transfer coding (501)', fix: 'send it unencoded' },
  unavailable: { meaning: 'the service cannot process requests now (503)', fix: 'retry later' },
  http_version_not_supported: { meaning: 'the HTTP version is not supported (505)', fix: 'send HTTP/1.1' },
} as const satisfies ErrorCodes;

/** The error codes of `serve` and of the sandbox. */
export const serveErrorCodes = {
  cannot_listen: { meaning: 'the server cannot listen at the address', fix: 'pass another `--port` or `--host`' },
  no_database: { meaning: 'the database does not exist', fix: 'run `petstore serve` first, or pass `--database`' },
  no_prom_client: {
    meaning: 'the optional package prom-client is missing',
    fix: 'reinstall petstore with `--include=optional`',
  },
  unknown_key: {
    meaning: 'the argument is not the label or the first characters of exactly one API key',
    fix: 'run `petstore serve keys list`',
  },
  label_in_use: { meaning: 'another API key of the server has this label', fix: 'pass another `--label`' },
  key_changed: { meaning: 'another process changed the API keys at the same time', fix: 'retry' },
  key_replaced: { meaning: 'the API key was rotated before', fix: 'rotate the API key that replaced it' },
  key_expired: { meaning: 'the API key has expired', fix: 'run `petstore serve keys update` with `--expires never`' },
} as const satisfies ErrorCodes;

/** The error codes of databases, the one of the sandbox among them. */
export const databaseErrorCodes = {
  database_no_sqlite: {
    meaning: 'SQLite is not available',
    fix: 'use Node.js 24 or later, or reinstall petstore with `--include=optional`',
  },
  database_no_postgres: {
    meaning: 'the optional package pg is missing',
    fix: 'reinstall petstore with `--include=optional`',
  },
  database_no_tls: {
    meaning: 'PostgreSQL does not use TLS, but the URL requires it',
    fix: 'enable TLS in PostgreSQL, or set `sslmode=disable` in the URL if you trust the network',
  },
  database_away: {
    meaning: 'the database cannot be reached',
    fix: 'check that PostgreSQL is running, and check the URL',
  },
  database_busy: { meaning: 'the database is locked by another process', fix: 'retry' },
  database_full: { meaning: 'the disk with the database is full', fix: 'free disk space, then retry' },
  database_newer: { meaning: 'a newer petstore created or upgraded the database', fix: 'upgrade petstore' },
  database_refused: {
    meaning: 'PostgreSQL denied access to the database',
    fix: 'check the user and the database name in the URL, the password in `PGPASSWORD` or in the URL, and the permissions of the user',
  },
  database_untrusted: {
    meaning: 'the certificate of PostgreSQL cannot be verified',
    fix: 'set `sslrootcert=<file>` in the URL, and use a host that the certificate names',
  },
  database_unusable: {
    meaning: 'the database is damaged or cannot be used',
    fix: 'restore a backup, or pass another `--database`',
  },
} as const satisfies ErrorCodes;
