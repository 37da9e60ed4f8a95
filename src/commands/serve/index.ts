import { defaultMaxConnections, defaultMaxConnectionsPerAddress, planNames } from '../../api/plan.js';
import { action } from '../../app/action.js';
import { logFormats } from '../../app/server-control.js';
import { addExamples, addTraits, addVariables, defineCommand } from '../../cli/command-spec.js';
import { anyText, choice, excludedBy, repeatable, seconds, wholeNumber } from '../../cli/flags.js';
import { addSubcommands } from '../../cli/program.js';
import {
  collectFaults,
  collectHosts,
  collectNetworks,
  parseTime,
  rejectServeArguments,
  rejectServeFlags,
} from './flags.js';

export const serve = defineCommand('serve', 'Run a local petstore server.', (command) => {
  command
    .optionsGroup('Address flags:')
    .option('--port <n>', 'port to listen on; 0 picks a free port', wholeNumber('--port', 0, 65_535), 4010)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--allow-host <name>', 'additional host name to accept (repeatable)', repeatable(collectHosts))
    .option(
      '--trust-proxy <cidr>',
      'network of reverse proxies whose X-Forwarded-For header to use (repeatable)',
      repeatable(collectNetworks),
    )
    .option(
      '--max-connections <n>',
      'maximum number of open connections',
      wholeNumber('--max-connections', 1, 65_535),
      defaultMaxConnections,
    )
    .option(
      '--max-connections-per-address <n>',
      'maximum number of open connections per client address',
      wholeNumber('--max-connections-per-address', 1, 65_535),
      defaultMaxConnectionsPerAddress,
    )
    .optionsGroup('Operation flags:')
    .option(
      '--log <format>',
      `format of the log on stderr: ${logFormats.join(', ')}`,
      choice('--log', logFormats),
      'text' as const,
    )
    .option(
      '--drain <seconds>',
      'time to respond to further requests after SIGINT or SIGTERM, while GET /readyz responds with 503',
      seconds('--drain', 0, 'from 0 to 86400'),
      0,
    )
    .option('--metrics', 'serve Prometheus metrics at GET /metrics')
    .option(
      '--metrics-port <n>',
      'serve metrics on this port only; 0 picks a free port',
      wholeNumber('--metrics-port', 0, 65_535),
    )
    .optionsGroup('Data flags:')
    .option(
      '--api-key-file <file>',
      'read the API key from this file (default: create a key on first start)',
      anyText('file'),
    )
    .option(
      '--database <file>',
      'SQLite path, postgres:// URL, or :memory: (not persisted) (default: a file in the data directory)',
      databaseParser,
    )
    .option(...databaseUrlFileFlag)
    .optionsGroup('Limit flags:')
    .option(...planFlag)
    .option(...perMinuteFlag)
    .option(...perDayFlag)
    .optionsGroup('Fault injection flags:')
    .option('--latency <ms>', 'delay each response by this many milliseconds', wholeNumber('--latency', 0, 20_000))
    .option(
      '--fault <fault>',
      'inject failures with a probability, such as 503:0.05 or reset:0.01; seed:42 makes them reproducible (repeatable)',
      repeatable(collectFaults),
    )
    .option('--clock <time>', 'simulated start time, such as 2030-12-06 or 2030-12-04T23:59:50Z (UTC)', parseTime)
    .action(action(async () => (await import('./serve.js')).serve, { readsVariables: true }));
  addVariables(command, { prefix: variablePrefix });
  addTraits(command, 'runs-until-canceled');
  addExamples(command, [
    ['petstore serve', 'Serve on http://127.0.0.1:4010/v1'],
    ['petstore serve --port 0 --database :memory: --json', 'Start a temporary server for a test'],
    ['PETSTORE_SERVE_PORT=0 petstore serve', 'Set a flag with its environment variable'],
    ['petstore serve --latency 200 --fault 503:0.05 --fault seed:1', 'Simulate a slow and unreliable service'],
    ['petstore serve keys create --plan pro --label ci', 'Create another API key'],
    [
      'petstore serve --clock 2030-12-06 --database :memory:',
      'Simulate the day after the removal of `GET /pets/{petId}`',
    ],
  ]);
  command
    .allowExcessArguments()
    .hook('preSubcommand', (_, subcommand) => rejectServeFlags(command, subcommand))
    .hook('preAction', (_, actionCommand) => rejectServeArguments(command, actionCommand));
  addSubcommands(command, [keys, backup]);
});

const keys = defineCommand('keys', 'Manage the API keys of a server.', (group) => {
  addExamples(group, [
    ['petstore serve keys create --plan pro --label ci', 'Create an API key for one client'],
    ['petstore serve keys list', 'List the API keys and their remaining quota'],
  ]);
  addSubcommands(group, [createKey, listKeys, revokeKey]);
});

const createKey = defineCommand('create', 'Create an API key and print it once.', (command) => {
  command
    .optionsGroup('Limit flags:')
    .option(...planFlag)
    .option(...perMinuteFlag)
    .option(...perDayFlag)
    .optionsGroup('Data flags:')
    .option('--label <text>', 'purpose of the API key, 1 to 100 characters')
    .option(...keysDatabaseFlag)
    .option(...databaseUrlFileFlag)
    .action(action(async () => (await import('./keys/create.js')).create, { readsVariables: true }));
  addVariables(command, databaseVariables);
  addExamples(command, [
    [
      'petstore serve keys create --plan pro --label ci --json',
      'Create an API key with the Pro plan and print it as JSON',
    ],
    ['petstore serve keys create --per-minute 5000 --per-day 200000', 'Create an API key with custom limits'],
  ]);
});

const listKeys = defineCommand('list', 'List the API keys and their remaining quota.', (command) => {
  command
    .optionsGroup('Data flags:')
    .option(...keysDatabaseFlag)
    .option(...databaseUrlFileFlag)
    .action(action(async () => (await import('./keys/list.js')).list, { readsVariables: true }));
  addVariables(command, databaseVariables);
  addExamples(command, [['petstore serve keys list --json', 'Print the API keys and their quotas as JSON']]);
});

const revokeKey = defineCommand('revoke', 'Revoke an API key.', (command) => {
  command
    .argument('<key>', 'first characters of the API key, or its label; never the full key', anyText('key-label'))
    .optionsGroup('Data flags:')
    .option(...keysDatabaseFlag)
    .option(...databaseUrlFileFlag)
    .action(action(async () => (await import('./keys/revoke.js')).revoke, { readsVariables: true }));
  addVariables(command, databaseVariables);
  addExamples(command, [['petstore serve keys revoke ci --yes', 'Revoke the API key labeled ci without a prompt']]);
});

const backup = defineCommand('backup', 'Back up a SQLite database, also while it is served.', (command) => {
  command
    .argument('<file>', 'file for the copy', anyText('file'))
    .option('--force', 'overwrite an existing file')
    .option(...keysDatabaseFlag)
    .option(...databaseUrlFileFlag)
    .action(action(async () => (await import('./backup.js')).backup, { readsVariables: true }));
  addVariables(command, databaseVariables);
  addExamples(command, [
    ['petstore serve backup pets.db', 'Copy the database to pets.db while the server runs'],
    ['petstore serve backup pets.db --force --json', 'Replace an earlier copy and print the counts as JSON'],
  ]);
});

const databaseParser = excludedBy('databaseUrlFile', anyText('file'));

const keysDatabaseFlag = [
  '--database <file>',
  'database of the server (default: a file in the data directory)',
  databaseParser,
] as const;

const databaseUrlFileFlag = [
  '--database-url-file <file>',
  'read the postgres:// URL of the database from this file',
  excludedBy('database', anyText('file')),
] as const;

const variablePrefix = 'PETSTORE_SERVE_';

/** The variables of every command that opens the database of the server. */
const databaseVariables = { prefix: variablePrefix, flags: ['--database', '--database-url-file'] };

const planFlag = ['--plan <plan>', `rate-limit plan: ${planNames.join(', ')}`, choice('--plan', planNames)] as const;
const perMinuteFlag = [
  '--per-minute <n>',
  'requests per minute, instead of those of the plan',
  wholeNumber('--per-minute', 1, 1e12),
] as const;
const perDayFlag = [
  '--per-day <n>',
  'requests per day, instead of those of the plan',
  wholeNumber('--per-day', 1, 1e12),
] as const;
