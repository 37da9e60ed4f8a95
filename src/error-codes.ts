export interface ErrorCodeInfo {
  /** A phrase that completes "This code means:". Code stands between backticks. */
  readonly meaning: string;
  /** An imperative phrase. */
  readonly fix: string;
}

/*
 * A `fix` covers every cause of its code. The hint of a failure is written where its cause is known: it names the value, the
 * file or the command. So the two differ on purpose.
 */

/** Every error code of petstore and its server, for `help errors`. A service may send other codes. */
export const errorCodes = {
  // Command line
  unknown_command: { meaning: 'the command does not exist', fix: 'run `petstore --help` to list the commands' },
  unknown_option: { meaning: 'the command has no such flag', fix: 'run the command with `--help` to list its flags' },
  invalid_argument: {
    meaning: 'an argument is invalid, or there are too many',
    fix: 'pass what the message allows, and quote values that contain spaces',
  },
  invalid_flag: {
    meaning: 'a flag has an invalid value or conflicts with another flag',
    fix: 'pass a value that the message allows, or remove one of the flags',
  },
  missing_input: {
    meaning: 'an argument, a flag or its value is missing, and prompts are disabled',
    fix: 'pass what the message names, or run the command on a terminal',
  },
  no_terminal: { meaning: 'the command needs an interactive terminal', fix: 'run the command that the hint names' },
  cancelled: { meaning: 'the user or a signal canceled the command', fix: 'run the command again if needed' },

  // Input
  invalid_input: {
    meaning: 'a file or standard input has invalid content',
    fix: 'fix the part that the message names, or pass `--rejects <file>` to import the valid rows',
  },
  unreadable_input: { meaning: 'a file or standard input cannot be read', fix: 'check the path and its permissions' },
  jq_failed: { meaning: 'the jq program failed or ran for too long', fix: 'fix the value of `--jq`' },
  missing_package: { meaning: 'an optional package is missing', fix: 'reinstall petstore with `--include=optional`' },

  // Files on this machine
  file_exists: { meaning: 'the output file already exists', fix: 'choose another name, or pass `--force`' },
  cannot_write: {
    meaning: 'a file, a directory or the result cannot be written',
    fix: 'check the permissions and the free disk space',
  },
  lock_held: { meaning: 'another petstore process holds a lock', fix: 'wait for the other process, then retry' },
  broken_configuration: {
    meaning: 'a configuration file is invalid or cannot be read',
    fix: 'fix or move the file, then retry',
  },
  exposed_credentials: {
    meaning: 'other users can access the API keys',
    fix: 'fix the owner and mode of the file that the message names',
  },
  internal_error: {
    meaning: 'an unexpected error occurred in petstore or the service',
    fix: 'run the command again with `--verbose` and report the output',
  },

  // Settings, profiles and API keys
  invalid_setting: {
    meaning: 'a setting, an environment variable, a base URL or a proxy URL is invalid',
    fix: 'fix the value that the message names',
  },
  unknown_setting: { meaning: 'the setting does not exist', fix: 'run `petstore config list`' },
  unknown_profile: { meaning: 'the profile does not exist', fix: 'run `petstore profile list`' },
  read_only: {
    meaning: 'the profile is read-only, so no data can be changed',
    fix: 'pass another `--profile`, or run `petstore profile set <name> --no-read-only`',
  },
  embedded_profile: { meaning: 'the command does not apply to the sandbox profile', fix: 'pass another `--profile`' },
  no_profile_chosen: {
    meaning: 'an API key is set in the environment, but no profile or base URL is selected',
    fix: 'pass `--profile` or `--base-url`',
  },
  no_base_url: {
    meaning: 'the profile has no base URL',
    fix: 'run `petstore profile set <name> --base-url <url>`',
  },
  no_key: { meaning: 'no API key is available', fix: 'run `petstore auth login` or set `PETSTORE_API_KEY`' },
  invalid_key: { meaning: 'the API key has an invalid form', fix: 'pass the API key without quotes or `Bearer`' },
  key_bound_elsewhere: {
    meaning: 'the API key was saved for another origin and is not sent to this one',
    fix: 'run `petstore auth login` for the new address',
  },
  keyring_unusable: { meaning: 'the system keyring does not work', fix: 'log in without `--keyring`' },

  // Imports
  rows_not_added: {
    meaning: 'some rows of an import were not added',
    fix: 'check the rows that the summary lists',
  },
  import_stopped: { meaning: 'an import stopped before its last row', fix: 'run the command that the hint names' },
  other_journal: {
    meaning: 'the file of `--journal` is not the journal of this import',
    fix: 'pass another file with `--journal`',
  },

  // Network
  connection_failed: {
    meaning: 'the service or the proxy cannot be reached, or does not speak HTTP',
    fix: 'check the base URL, the proxy and the network, then retry',
  },
  connection_lost: { meaning: 'the connection ended before the response was complete', fix: 'retry' },
  timeout: { meaning: 'the deadline for the request passed', fix: 'increase `--timeout`' },
  tls_failed: {
    meaning: 'the TLS handshake failed, or the certificate is not trusted',
    fix: 'check the base URL, or set `NODE_EXTRA_CA_CERTS` to the file of your certificate authority',
  },

  // Responses
  outcome_unknown: {
    meaning: 'a request that changes data was sent, but its response was lost',
    fix: 'check the data of the service before you send the request again',
  },
  invalid_response: {
    meaning: 'the response violates the API spec, or is too large',
    fix: 'check the base URL, including a version segment such as `/v1`',
  },
  redirected: {
    meaning: 'the service redirects, and petstore does not send the API key elsewhere',
    fix: 'pass the base URL of the new address as `--base-url` if you trust it',
  },
  perhaps_partial: { meaning: 'the list may be incomplete', fix: 'run the command with each `--status`' },

  // Server
  fault: { meaning: '`serve --fault` injected a failure', fix: 'retry, or start the server without `--fault`' },

  // Doctor
  check_failed: { meaning: 'a check of `petstore doctor` failed', fix: 'follow the advice in the report' },

  // Sent by the server, and some of them by other services
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

  // serve and its keys
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

  // Databases, the one of the sandbox among them
  database_unavailable: {
    meaning: 'the database cannot be reached, or another process has locked it',
    fix: 'check that PostgreSQL is running, check the URL, then retry',
  },
  database_refused: {
    meaning: 'PostgreSQL denied access',
    fix: 'check the user, the password and `sslmode` in the URL, and the permissions of the user',
  },
  database_unusable: {
    meaning: 'the database is damaged, or a newer petstore has upgraded it',
    fix: 'upgrade petstore, restore a backup, or pass another `--database`',
  },
} as const satisfies Readonly<Record<string, ErrorCodeInfo>>;

/** The code of a failure that petstore recognizes itself. */
export type ErrorCode = keyof typeof errorCodes;

/** A code that a service sent, or `http_418` for a response without one. */
export type ServiceErrorCode = string & { readonly [serviceErrorCode]: true };

declare const serviceErrorCode: unique symbol;
