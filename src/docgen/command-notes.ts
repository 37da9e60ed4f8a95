/**
 * Paragraphs for the manual pages of commands; code stands between backticks. They are apart from the commands, since
 * startup reads the declarations of all commands but no manual page.
 */
export const commandNotes: Readonly<Record<string, readonly string[]>> = {
  'petstore doctor': [
    '`doctor` sends at most one request. A check that cannot run is reported as `skipped`.',
    'With `--contract`, petstore checks whether the server conforms to the API spec. A rule that the server violates is reported as `broken`, and the exit code is 1. A `note` describes behavior that the API spec leaves open, such as paging or the response to `limit=101`. Each line cites a section of `openapi.yaml`.',
    '`--contract` asks for confirmation unless you pass `--yes`. It stops when the quota is used up. It changes no data unless you pass `--write`.',
  ],
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
    'The server accepts requests for loopback names, `--host` and each `--allow-host`. Requests with an unknown Host header get 403, and so do requests from web pages of another origin. `GET /healthz`, `GET /v1/openapi.json` and `GET /metrics` need no API key.',
    'With `--metrics`, Prometheus can read request counts and durations, rejections, bans, database connections and process statistics.',
    'A 201 response means that the pet is on disk. Servers that share a database also share the rate limits. To run servers on several machines, pass `--database postgres://user@host:5432/name`. While PostgreSQL is unreachable, API requests and `GET /healthz` get 503. Other users of this machine can read command lines: set `PGPASSWORD` to hide the password from them.',
    'With `--clock`, time starts at the given time and then passes normally. Rate-limit windows, `Date` headers and removal dates follow this clock.',
  ],
  'petstore serve keys': [
    'Each API key has its own plan, rate-limit windows and ban. A running server accepts a new API key at once, and rejects a revoked API key from the next request on.',
  ],
  'petstore serve keys create': [
    'Copy the API key when it is printed. It cannot be shown again, because the database stores only a digest.',
  ],
  'petstore serve keys revoke': [
    'Running servers reject the API key with 401 from the next request on. If `--api-key-file` contains the API key, the next start of `petstore serve` adds it again. If no API key is left, the next start creates one.',
  ],
  'petstore profile set': ['Specify `--base-url`, `--output`, or both. petstore saves them in the profile.'],
  'petstore profile remove': ['On a terminal, petstore prompts for a confirmation. Elsewhere, pass `--yes`.'],
  'petstore api': [
    'The path is relative to the base URL. The API key is never sent to another origin.',
    'The fields of `-f` and `-F` form a JSON body. With `-X GET` or `-X HEAD`, they become query parameters. Use `a[b]=1` for a nested field and `a[]=1` for a list item.',
    'The response body is printed even if the request fails. The exit code reports the failure.',
    'With `--curl`, petstore prints a curl command for a POSIX shell and sends nothing. The command reads the API key from `$PETSTORE_API_KEY` and is quoted for safe pasting. It requests only the first page. Most other commands that send requests also accept `--curl`.',
  ],
  'petstore quota': [
    'The quota comes from the last response of the service. No request is sent without `--refresh`.',
    'All your petstore processes share the quota if they use the same service and API key. Each process reserves a request before it sends the request. If the service responds with 429, all processes stop sending requests until the time that the response names.',
    'If a command would have to wait longer than `--max-wait`, it stops, and the exit code is 6.',
  ],
  'petstore completion': [
    'The script runs petstore each time you press Tab. It sends no request and never evaluates what you typed.',
    'bash: run `petstore completion bash > ~/.petstore.bash`, then add `source ~/.petstore.bash` to `~/.bashrc`. You do not need the package bash-completion.',
    'zsh: save the script as `_petstore` in a directory of `$fpath` before `compinit` runs. Or evaluate the script after `compinit`.',
    'fish: run `petstore completion fish > ~/.config/fish/completions/petstore.fish`.',
    'PowerShell: add this line to `$PROFILE`: `petstore completion powershell | Out-String | Invoke-Expression`',
  ],
};
