/** An environment variable that petstore reads. */
export interface Variable {
  readonly name: string;
  readonly meaning: string;
}

/** The variable that holds the key. */
export const keyVariable = 'PETSTORE_API_KEY';

/** The variable that names a file which holds it. */
export const keyFileVariable = 'PETSTORE_API_KEY_FILE';

/** The variables that are petstore's own. */
export const variables: readonly Variable[] = [
  { name: keyVariable, meaning: `the API key; wins over \`${keyFileVariable}\`` },
  { name: keyFileVariable, meaning: 'a file that holds the API key' },
  { name: 'PETSTORE_PROFILE', meaning: 'the profile to use' },
  { name: 'PETSTORE_BASE_URL', meaning: "the service to use in place of the profile's" },
  { name: 'PETSTORE_OUTPUT', meaning: 'the output format' },
  {
    name: 'PETSTORE_CONFIG_DIR',
    meaning: 'where all files of petstore live (default: the XDG directories)',
  },
  { name: 'PETSTORE_TIMEOUT', meaning: 'the deadline of a request in seconds' },
  { name: 'PETSTORE_MAX_WAIT', meaning: 'the longest wait for the quota in seconds' },
  {
    name: 'PETSTORE_LEDGER',
    meaning: 'the Redis that holds the quota ledger: `redis://host:6379`',
  },
  { name: 'PETSTORE_NO_INPUT', meaning: '`1` never asks, as `--no-input`' },
  { name: 'PETSTORE_QUIET', meaning: '`1` keeps stderr for errors, as `--quiet`' },
  {
    name: 'PETSTORE_ACCESSIBLE',
    meaning: '`1` draws nothing anew, asks by number and writes `key: value` lines',
  },
  { name: 'PETSTORE_DEBUG', meaning: '`1` shows stack traces, as `--debug`' },
  { name: 'PETSTORE_ALLOW_HTTP', meaning: '`1` allows `http://` to other machines' },
];

/** The variables that it obeys as other programs do. */
export const standardVariables: readonly Variable[] = [
  {
    name: 'HTTPS_PROXY, HTTP_PROXY, NO_PROXY',
    meaning: 'proxies, and hosts that need none; this machine never does',
  },
  { name: 'NODE_EXTRA_CA_CERTS', meaning: 'a file of further certificate authorities' },
  {
    name: 'NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE',
    meaning: 'colour never, or off a terminal too; `--color` wins',
  },
  {
    name: 'TERM, CI, COLUMNS',
    meaning: 'with `TERM=dumb` or in `CI` nothing is asked or redrawn; how wide the terminal is',
  },
  { name: 'PAGER', meaning: 'what `petstore help` shows a page with' },
  {
    name: 'XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_DATA_HOME, XDG_CACHE_HOME',
    meaning: 'where the files of petstore live',
  },
];
