import { getPetDeprecation } from '../api/operations.js';

/**
 * Paragraphs for the manual pages of commands; code stands between backticks. They are apart from the commands, since
 * startup reads the declarations of all commands but no manual page.
 */
export const commandNotes: Readonly<Record<string, readonly string[]>> = {
  petstore: [
    'Without any setup, petstore uses the `sandbox` profile: a built-in server with sample pets. The sandbox needs no account and opens no port. Run `petstore auth login` to use a service, or `petstore serve` to run a server for other clients.',
    'Results go to stdout. Prompts, progress, notices, warnings and errors go to stderr. After a command that sent a request, one line on stderr shows how many requests are left.',
  ],
  'petstore pets list': [
    'To list every pet, use `--all`. Without it, the service chooses how many pets to return, unless you pass `--limit`. If there are more pets, a notice says so.',
    '`--all` follows the links to the next page, on the same origin only. A full page without such a link may not be the last page. In this case, petstore prints the list, and the exit code is 10.',
    '`--watch` prints only changes, one per line, such as `+ 14:03:05 12 Ada available`. A line starts with `+` for an added pet, `-` for a removed pet, or `~` for a changed pet. The time is when petstore saw the change: local on a terminal, ISO 8601 in a pipe. With `--output ndjson`, each line is an object with `event`, `time` and `pet`. The value of `event` is `added`, `removed` or `changed`. With `changed`, the object also has the key `before`.',
    'Without `--all`, `--watch` compares only the first page: `--limit` pets, or 100. `--watch` uses at most half of the remaining quota, so it polls less often if few requests are left. A transient error prints one warning, and watching continues. Press Ctrl-C to stop; the exit code is 0.',
  ],
  'petstore pets browse': [
    'Type to filter by name or id. Filters, sorting and End load every page within half of the remaining quota. Press ? for all keys and Esc to quit.',
    'Loaded pages are kept; press Ctrl-R to reload them. The last line shows the profile, the remaining quota and the age of the list.',
    'The command requires an interactive terminal. The exit code is 2 in a pipe, in CI, for an AI agent, in screen-reader mode, with `TERM=dumb`, with `--no-input` and with any `--output` except `table`. Use `petstore pets list` instead.',
  ],
  'petstore pets add': [
    'On a terminal, petstore prompts for missing fields and for a confirmation that names the profile. If you pass `--name` and `--category-id`, it adds the pet without prompts. Without a terminal, a missing field is an error that names the flag.',
    'If no usable response arrives, the pet may have been added: the exit code is 9, and the hint says how to check.',
  ],
  'petstore pets get': [
    `The service will remove this operation on ${getPetDeprecation.removalDate}. Each use prints a warning with a replacement, such as \`petstore pets list --all --jq '.[] | select(.id == 42)'\`.`,
  ],
  'petstore pets import': [
    'A CSV file needs a header row with `name` and `categoryId`, in any order; `status` is optional. Every row is checked before the first request. Problems are listed by line and field. Nothing is sent until you fix them or pass `--rejects`.',
    'Rows are sent at full speed while the quota lasts. The other rows wait for the next rate-limit windows. If the service responds with 429, the whole import waits.',
    'A journal records the outcome of each row. After Ctrl-C, a crash or a power cut, run the same command again to resume; no pet is added twice. If the file changes, only the rows that were not added before are added, after a confirmation or with `--yes`. If it no longer has a row that was added, the import needs an answer or `--journal`. If a response is lost, the row is sent again if the service honors `Idempotency-Key`. Otherwise the summary lists it as outcome unknown.',
    'The summary goes to stderr, or to stdout with any `--output` except `table`. If some rows were not added, the exit code is 10.',
  ],
  'petstore pets export': [
    'The format comes from `--output`, else from the file extension. Without either, it is NDJSON. The file appears only after the export is complete.',
  ],
  'petstore doctor': ['`doctor` sends at most one request. A check that cannot run is reported as `skipped`.'],
  'petstore auth login': [
    'On a terminal, petstore prompts for the profile, the base URL and the API key. It sends one request to verify the API key. If the service rejects the API key, petstore prompts for it again, up to three times in all. A rejected API key is not saved.',
    'To create a profile, choose a new profile in the prompt, or pass `--profile` with a new name and `--base-url`.',
    'The API key is sent only to the origin of the base URL. It is saved in a file with mode 0600, in a directory with mode 0700. With `--keyring`, petstore tests the system keyring and saves the API key there. If the test fails, nothing is saved.',
    'You cannot pass an API key as an argument, because other users can see arguments. The sandbox creates its own API key and needs no login.',
  ],
  'petstore auth status': ['The API key is masked. No request is sent without `--check`.'],
  'petstore auth token': ['No other command prints the API key of a profile.'],
  'petstore orders list': [
    'The API spec does not describe the fields of an order. The columns are the keys that the service sends, and nested values are printed as JSON.',
  ],
  'petstore serve': [
    'When the server is ready for requests, it prints its base URL. With a new database, it also prints an API key. Copy the API key: the database stores only a digest. Press Ctrl-C to shut down gracefully.',
    'With `--drain`, the server responds for some more seconds after the signal, while `GET /readyz` responds with 503, so that a load balancer can send requests elsewhere. A second signal ends the server at once.',
    'The server accepts requests for loopback names, `--host` and each `--allow-host`. Requests with an unknown Host header get 403, and so do requests from web pages of another origin. `GET /livez`, `GET /readyz`, `GET /healthz`, `GET /v1/openapi.json` and `GET /docs` need no API key.',
    'The server has no TLS. To accept requests from other machines, put a reverse proxy with TLS in front of it.',
    'With `--metrics-port`, Prometheus can read request counts and durations, rejections, bans, database connections and process statistics.',
    'A 201 response means that the pet is on disk. Servers that share a database also share the rate limits. To run servers on several machines, pass `--database postgres://user@host:5432/name`. While PostgreSQL is unreachable, API requests and `GET /readyz` get 503. Other users of this machine can read command lines: set `PETSTORE_SERVE_DATABASE` to hide the password from them.',
    'Each flag has an environment variable: `PETSTORE_SERVE_` and the name of the flag. A flag takes precedence over its variable. Variables of repeatable flags take values separated by commas.',
    'With `--clock`, time starts at the given time and then passes normally. Rate-limit windows, `Date` headers and removal dates follow this clock.',
  ],
  'petstore serve keys': [
    'Each API key has its own plan, rate-limit windows and ban. A running server applies each change from the next request on.',
    'An API key that has expired stays in the list until you revoke it. Requests with it get 401.',
    'The commands read `PETSTORE_SERVE_DATABASE`, as `petstore serve` does.',
  ],
  'petstore serve keys create': [
    'Copy the API key when it is printed. It cannot be shown again, because the database stores only a digest.',
    'petstore prints the API key before it saves it. If the output cannot be written, or if petstore is killed, no API key is created. Use the API key after the command has succeeded.',
    'Without `--plan`, `--per-minute` and `--per-day`, petstore prompts for the plan on a terminal, and uses the Free plan elsewhere. If the database does not exist, petstore creates it and says so.',
    'Each label belongs to one API key. With `--expires` and a date, the API key is valid through the end of that day in UTC.',
  ],
  'petstore serve keys update': [
    'Options that you do not pass keep their value. With `--plan`, the API key gets both limits of the plan, unless `--per-minute` or `--per-day` replaces them. `--expires never` removes the expiry.',
    'A change of the limits also applies to the API keys that this one replaced and that are still valid.',
  ],
  'petstore serve keys rotate': [
    'The new API key takes over the limits, the label and the expiry of the old one. Both share one quota, one ban and their idempotency keys. The old API key has no label and expires after `--overlap`, or earlier if it has an expiry before that.',
    'petstore prints the new API key before it changes anything. If the output cannot be written, the old API key does not change. Use the new API key after the command has succeeded.',
    'To end an API key at once, for example because it was published, pass `--overlap 0s`.',
  ],
  'petstore serve keys revoke': [
    'Running servers reject the API key with 401 from the next request on. It stays revoked, even if `--api-key-file` contains it. If no API key is left, the next start creates one.',
  ],
  'petstore profile set': [
    'Specify `--base-url`, `--output`, `--read-only` or `--no-read-only`, or several of them. petstore saves them in the profile.',
  ],
  'petstore profile remove': ['On a terminal, petstore prompts for a confirmation. Elsewhere, pass `--yes`.'],
  'petstore api': [
    'The path is relative to the base URL. The API key is never sent to another origin.',
    'The fields of `-f` and `-F` form a JSON body. With `-X GET` or `-X HEAD`, they become query parameters. Use `a[b]=1` for a nested field and `a[]=1` for a list item.',
    'The response body is printed even if the request fails. The exit code reports the failure.',
    'With `--curl`, petstore prints a curl command and sends nothing. The command is for a POSIX shell. It reads the API key from the variable `PETSTORE_API_KEY` and is quoted for safe pasting. It requests only the first page. `pets list` and `pets add` accept `--curl`, too.',
  ],
  'petstore quota': [
    'The quota comes from the last response of the service. No request is sent without `--refresh`, or if no requests are left.',
    'All your petstore processes share the quota if they use the same service and API key. Each process reserves a request before it sends the request. If the service responds with 429, all processes stop sending requests until the time that the response names.',
    'If a command would have to wait longer than `--max-wait`, it stops, and the exit code is 6.',
  ],
  'petstore help': [
    'With `--json`, petstore describes the commands for programs: arguments, flags, examples and the fields of their JSON. Without a command, it also lists the global flags, settings, exit codes and error codes.',
  ],
  'petstore completion': [
    'The script runs petstore each time you press Tab. It sends no request and never evaluates what you typed.',
    'bash: run `petstore completion bash > ~/.petstore.bash`, then add `source ~/.petstore.bash` to `~/.bashrc`. You do not need the package bash-completion.',
    'zsh: save the script as `_petstore` in a directory of `$fpath` before `compinit` runs. Or evaluate the script after `compinit`.',
    'fish: run `petstore completion fish > ~/.config/fish/completions/petstore.fish`.',
    'PowerShell: add this line to `$PROFILE`: `petstore completion powershell | Out-String | Invoke-Expression`. Windows PowerShell 5.1 completes no flags; PowerShell 7 does.',
  ],
};
