import { expect, test } from 'vitest';
import { createTestCli } from '../../support/test-cli.js';

/** Every command with its flags. A change of this list changes what petstore is: it needs a decision. */
const commands: Readonly<Record<string, string>> = {
  'pets list': '--status --name --category-id --limit --all --watch --curl',
  'pets browse': '',
  'pets add': '--name --category-id --status --curl',
  'pets get': '',
  'pets import': '--format --journal --rejects --force --dry-run',
  'pets export': '--status --force',
  'orders list': '',
  'auth login': '--with-key --keyring',
  'auth logout': '',
  'auth status': '--check',
  'auth token': '',
  'profile list': '',
  'profile use': '',
  'profile set': '--read-only --no-read-only',
  'profile remove': '',
  'config list': '',
  'config get': '',
  'config set': '',
  'config unset': '',
  quota: '--refresh --reset',
  api: '-X -f -F -H --input -i --paginate --curl',
  'sandbox status': '',
  'sandbox plan': '',
  'sandbox reset': '--plan --pets',
  serve:
    '--port --host --log --api-key-file --database --plan --per-minute --per-day --latency --fault --clock --allow-host --trust-proxy --drain --metrics-port',
  'serve keys create': '--plan --per-minute --per-day --label --expires --database',
  'serve keys list': '--database',
  'serve keys update': '--plan --per-minute --per-day --label --expires --database',
  'serve keys rotate': '--overlap --database',
  'serve keys revoke': '--database',
  doctor: '',
  completion: '',
  help: '',
};

const globalFlags =
  '--profile --base-url --output --json --jq --fields --no-header --no-input --yes --quiet --verbose --timeout --max-wait --color --no-color --version --help';

/** Every setting with its flag and its variable. */
const settings: readonly (readonly [string, string | undefined, string | undefined])[] = [
  ['profile', '--profile', 'PETSTORE_PROFILE'],
  ['output', '--output', 'PETSTORE_OUTPUT'],
  ['color', '--color', undefined],
  ['timeout', '--timeout', 'PETSTORE_TIMEOUT'],
  ['max-wait', '--max-wait', 'PETSTORE_MAX_WAIT'],
  ['accessible', undefined, 'PETSTORE_ACCESSIBLE'],
  ['quota-store', undefined, 'PETSTORE_QUOTA_STORE'],
];

/** Every other environment variable; `PETSTORE_SERVE_<flag>` means those of `serve`. */
const otherVariables = [
  ...['PETSTORE_API_KEY', 'PETSTORE_API_KEY_FILE', 'PETSTORE_BASE_URL', 'PETSTORE_CONFIG_DIR'],
  ...['PETSTORE_NO_INPUT', 'PETSTORE_READ_ONLY', 'PETSTORE_ALLOW_HTTP'],
  ...['NO_COLOR', 'FORCE_COLOR', 'TERM', 'CI', 'COLUMNS', 'AI_AGENT', 'PAGER'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS'],
  ...['XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME'],
];

test('petstore has these commands, flags, settings and variables, and no others', async () => {
  const cli = createTestCli();
  const program = JSON.parse((await cli.run(['help', '--json'])).stdout);
  type Named = { readonly name: string };
  const namesOf = (flags: readonly Named[]) => flags.map(({ name }) => name).join(' ');
  const paths = program.commands.map(({ path, flags }: { path: string; flags: Named[] }) => [path, namesOf(flags)]);
  expect(Object.fromEntries(paths)).toEqual(commands);
  expect(namesOf(program.globalFlags)).toBe(globalFlags);
  expect(
    program.settings.map(({ name, flag, variable }: Named & Record<string, string>) => [name, flag, variable]),
  ).toEqual(settings);

  const { stdout } = await cli.run(['help', 'environment']);
  const description = /^VARIABLES\n(.*?)^SETTINGS\n/ms.exec(stdout)?.[1] ?? '';
  const terms = [...description.matchAll(/^ {2}((?:[A-Z_]+(?:, )?)+)(?=$| {2})/gm)].flatMap(([, names = '']) =>
    names.split(', '),
  );
  const ofSettings = settings.flatMap(([, , variable]) => variable ?? []);
  expect(terms.toSorted()).toEqual([...ofSettings, ...otherVariables].toSorted());
});
