import { databaseErrorCodes, type ErrorCodes, serveErrorCodes, serverErrorCodes } from './server-error-codes.js';

/*
 * A `fix` covers every cause of its code. The hint of a failure is written where its cause is known: it names the value, the
 * file or the command. So the two differ on purpose.
 */

/** The error codes of the command line, input, files, settings, profiles and API keys: those of every command. */
const generalErrorCodes = {
  // Command line
  unknown_command: { meaning: 'the command does not exist', fix: 'run `petstore --help` to list the commands' },
  unknown_option: { meaning: 'the command has no such flag', fix: 'run the command with `--help` to list its flags' },
  missing_argument: { meaning: 'a required argument is missing', fix: 'pass the argument that the message names' },
  excess_arguments: { meaning: 'the command takes fewer arguments', fix: 'quote values that contain spaces' },
  option_missing_argument: { meaning: 'a flag needs a value', fix: 'pass a value after the flag' },
  invalid_flag: {
    meaning: 'a flag has an invalid value or conflicts with another flag',
    fix: 'pass a value that the message allows, or remove one of the flags',
  },
  missing_flag: { meaning: 'the command needs at least one of its flags', fix: 'pass one of the flags in the message' },
  missing_input: {
    meaning: 'the command needs input, but prompts are disabled',
    fix: 'pass the flags that the message names, or run the command on a terminal',
  },
  no_terminal: { meaning: 'the command needs an interactive terminal', fix: 'run the command that the hint names' },
  too_many_words: { meaning: 'more words follow a help topic', fix: 'pass only the topic to `petstore help`' },
  unknown_field: {
    meaning: '`--fields` names a column that does not exist',
    fix: 'pass fields that the message lists',
  },
  no_address: {
    meaning: '`--curl` was used with the sandbox, which has no HTTP endpoint',
    fix: 'run `petstore serve` and pass its URL as `--base-url`',
  },
  cancelled: { meaning: 'the user or a signal canceled the command', fix: 'run the command again if needed' },

  // Input
  invalid_input: {
    meaning: 'a file or standard input has invalid content',
    fix: 'fix the part that the message names',
  },
  unreadable_input: { meaning: 'a file or standard input cannot be read', fix: 'check the path and its permissions' },
  invalid_pet_id: { meaning: 'the pet id must be a non-negative 64-bit integer', fix: 'pass an id such as `42`' },
  invalid_path: { meaning: 'the path of `petstore api` is invalid', fix: 'pass a path such as `/pets`' },
  other_origin: {
    meaning: 'the path of `petstore api` is a URL of another origin, which must not get the API key',
    fix: 'pass a path below the base URL, or pass `--base-url`',
  },
  invalid_jq: { meaning: 'the jq program is invalid', fix: 'fix the value of `--jq`' },
  jq_failed: { meaning: 'the jq program failed or ran for too long', fix: 'fix the value of `--jq`' },
  missing_package: {
    meaning: 'an optional package is missing, such as jq-web, pg or the one of SQLite',
    fix: 'reinstall petstore with `--include=optional`',
  },

  // Files on this machine
  file_exists: { meaning: 'the output file already exists', fix: 'choose another name, or pass `--force`' },
  unwritable_output: { meaning: 'the result cannot be written', fix: 'check the free disk space and the permissions' },
  unwritable_data: { meaning: 'the data directory cannot be used', fix: 'check the permissions of the directory' },
  lock_held: { meaning: 'another petstore process holds a lock', fix: 'wait for the other process, then retry' },
  broken_configuration: { meaning: 'a configuration file is invalid', fix: 'fix or move the file, then retry' },
  exposed_credentials: { meaning: 'other users can access the API keys', fix: 'run the command that the hint names' },
  unreadable_configuration: { meaning: 'a configuration file cannot be read', fix: 'check its owner and permissions' },
  unwritable_configuration: {
    meaning: 'a configuration file cannot be written',
    fix: 'check the permissions and the free disk space, or set `PETSTORE_CONFIG_DIR`',
  },
  no_home: { meaning: 'the user has no home directory', fix: 'set `HOME` or `PETSTORE_CONFIG_DIR`' },
  internal_error: {
    meaning: 'an unexpected error occurred in petstore or the service',
    fix: 'run the command again with `--debug` and report the output',
  },

  // Settings, profiles and API keys
  invalid_environment: { meaning: 'an environment variable has an invalid value', fix: 'fix or unset the variable' },
  invalid_setting: { meaning: 'a setting has an invalid value', fix: 'run `petstore config set <name> <value>`' },
  unknown_setting: { meaning: 'the setting does not exist', fix: 'run `petstore config list`' },
  unknown_profile: { meaning: 'the profile does not exist', fix: 'run `petstore profile list`' },
  profile_exists: { meaning: 'another profile has this name', fix: 'choose another name' },
  read_only: {
    meaning: 'the profile is read-only, so no data can be changed',
    fix: 'pass another `--profile`, or run `petstore profile set <name> --no-read-only`',
  },
  invalid_profile_name: {
    meaning: 'the profile name is too long or has invalid characters',
    fix: 'use up to 64 letters, digits, `-` and `_`, and start with a letter or digit',
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
  invalid_base_url: { meaning: 'the base URL is invalid', fix: 'pass a URL such as `https://pets.example.com/v1`' },
  invalid_proxy: { meaning: 'the proxy URL is invalid', fix: 'fix or unset `HTTPS_PROXY` or `HTTP_PROXY`' },
  no_key: { meaning: 'no API key is available', fix: 'run `petstore auth login` or set `PETSTORE_API_KEY`' },
  invalid_key: { meaning: 'the API key has an invalid form', fix: 'pass the API key without quotes or `Bearer`' },
  unreadable_key_file: {
    meaning: 'a file with an API key cannot be read',
    fix: 'check the path and the file permissions',
  },
  key_bound_elsewhere: {
    meaning: 'the API key was saved for another origin and is not sent to this one',
    fix: 'run `petstore auth login` for the new address',
  },
  keyring_unusable: { meaning: 'the system keyring does not work', fix: 'log in without `--keyring`' },
} as const satisfies ErrorCodes;

/** The error codes of imports. */
const importErrorCodes = {
  invalid_rows: { meaning: 'rows of an import are invalid', fix: 'fix the rows, or pass `--rejects <file>`' },
  changed_input: { meaning: 'the imported file changed while it was read', fix: 'restore the file to resume' },
  rows_not_added: {
    meaning: 'some rows of an import were not added',
    fix: 'check the rows that the summary lists',
  },
  import_stopped: { meaning: 'an import stopped before its last row', fix: 'run the command that the hint names' },
  other_format: {
    meaning: 'the import of this file started with another format',
    fix: 'pass that format with `--format`, or a new file with `--journal`',
  },
  unwritable_copy: { meaning: 'standard input cannot be copied to disk', fix: 'free disk space, or import a file' },
  unwritable_journal: {
    meaning: 'the import journal cannot be used',
    fix: 'check the permissions of the journal, then run the import again',
  },
  no_journal: { meaning: 'the file is not an import journal', fix: 'pass another file with `--journal`' },
  other_journal: { meaning: 'the journal belongs to another import', fix: 'pass another file with `--journal`' },
  journal_taken_over: {
    meaning: 'another process continued this import while this process was suspended',
    fix: 'wait for the other process, then run the import again',
  },
} as const satisfies ErrorCodes;

/** The error codes of requests. */
const requestErrorCodes = {
  // Network
  connection_refused: {
    meaning: 'the service refused the connection',
    fix: 'check that the service is running and that the base URL is correct',
  },
  connection_failed: { meaning: 'the connection failed', fix: 'check the network, then retry' },
  connection_lost: { meaning: 'the service closed the connection before the response was complete', fix: 'retry' },
  connect_timeout: { meaning: 'the connection was not established in time', fix: 'check the base URL, then retry' },
  name_not_found: { meaning: 'the DNS lookup of the host failed', fix: 'check the base URL and the network' },
  unreachable: { meaning: 'the network has no route to the host', fix: 'check the network or the VPN' },
  timeout: { meaning: 'the deadline for the request passed', fix: 'increase `--timeout`' },
  not_http: { meaning: 'the response is not valid HTTP', fix: 'check the base URL and its port' },
  not_tls: { meaning: 'the server does not use TLS', fix: 'check the scheme and the port of the base URL' },
  tls_failed: { meaning: 'the TLS handshake failed', fix: 'check the TLS versions and certificates of the service' },
  untrusted_certificate: {
    meaning: 'the certificate of the service is not trusted',
    fix: 'set `NODE_EXTRA_CA_CERTS` to the file of your certificate authority',
  },
  proxy_failed: {
    meaning: 'the proxy cannot be reached, or did not connect to the service',
    fix: 'check `HTTPS_PROXY` and `NO_PROXY`',
  },
  proxy_authentication: { meaning: 'the proxy requires a user name and a password', fix: 'add them to the proxy URL' },
  truncated_answer: { meaning: 'the response is truncated', fix: 'retry' },

  // Limits
  request_budget: {
    meaning: 'the command needs more requests than `--max-requests` allows',
    fix: 'increase `--max-requests`',
  },

  // Responses
  no_answer: {
    meaning: 'a request that changes data was sent, but its response was lost',
    fix: 'check the data of the service before you send the request again',
  },
  unreadable_answer: {
    meaning: 'the response violates the API spec',
    fix: 'check the base URL, including a version segment such as `/v1`',
  },
  answer_too_large: {
    meaning: 'the response is larger than 16 MiB, or its headers are larger than 64 KiB',
    fix: 'check the base URL, or pass a smaller `--limit`',
  },
  redirected: {
    meaning: 'the service redirects, and petstore does not send the API key elsewhere',
    fix: 'pass the base URL of the new address as `--base-url` if you trust it',
  },
  bad_next_link: {
    meaning: 'the link to the next page is invalid',
    fix: 'report the link to the operator; without `--all` or `--paginate`, petstore fetches only the first page',
  },
  bad_page: { meaning: 'a page of `api --paginate` is not a JSON array', fix: 'omit `--paginate`' },
  perhaps_partial: { meaning: 'the list may be incomplete', fix: 'run the command with each `--status`' },

  // Server
  fault: { meaning: '`serve --fault` injected a failure', fix: 'retry, or start the server without `--fault`' },
  ...serverErrorCodes,
} as const satisfies ErrorCodes;

/** The error codes of `doctor`. */
const doctorErrorCodes = {
  check_failed: { meaning: 'a check of `petstore doctor` failed', fix: 'follow the advice in the report' },
} as const satisfies ErrorCodes;

/** Every error code of petstore and its server, for `help errors`. A service may send other codes. */
export const errorCodes = {
  ...generalErrorCodes,
  ...importErrorCodes,
  ...requestErrorCodes,
  ...serveErrorCodes,
  ...databaseErrorCodes,
  ...doctorErrorCodes,
};

/** The code of a failure that petstore recognizes itself. */
export type ErrorCode = keyof typeof errorCodes;

/** A code that a service sent, or `http_418` for a response without one. */
export type ServiceErrorCode = string & { readonly [serviceErrorCode]: true };

declare const serviceErrorCode: unique symbol;
