import { planNames } from '../../api/plan.js';
import { action } from '../../app/action.js';
import { addColumns, addExamples, addNotes, defineCommand } from '../../cli/command-spec.js';
import { anyText, choice, repeatable, wholeNumber } from '../../cli/flags.js';
import { addSubcommands } from '../../cli/program.js';
import {
  checkLimitFlags,
  collectFaults,
  collectHosts,
  parseTime,
  rejectServeArguments,
  rejectServeFlags,
} from './flags.js';

export const serve = defineCommand('serve', 'Run the animal store itself, for others to use.', (command) => {
  command
    .optionsGroup('Address flags:')
    .option('--port <n>', '0 for any free one', wholeNumber('--port', 0, 65_535), 4010)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--allow-host <name>', 'name that leads here, without port; may be given again', repeatable(collectHosts))
    .option('--metrics', 'answer GET /metrics, for Prometheus')
    .optionsGroup('Data flags:')
    .option(
      '--api-key-file <file>',
      'serve the API key in this file (default: one made at first start)',
      anyText('file'),
    )
    .option(
      databaseSyntax,
      'or postgres://user@host/name; :memory: is forgotten (default: in the data directory)',
      anyText('file'),
    )
    .optionsGroup('Limit flags:')
    .option(...planFlag)
    .option(...perMinuteFlag)
    .option(...perDayFlag)
    .optionsGroup('Trouble flags:')
    .option('--latency <ms>', 'milliseconds that every answer takes longer', wholeNumber('--latency', 0, 20_000))
    .option(
      '--fault <kind:probability>',
      'fail now and then: 503:0.05, reset:0.01, 429:0.1; seed:42 repeats the same ones; may be given again',
      repeatable(collectFaults),
    )
    .option('--clock <time>', 'live at another time, such as 2030-12-06 or 2030-12-04T23:59:50Z (UTC)', parseTime)
    .action(action(async () => (await import('./serve.js')).serve));
  addColumns(command, async () => (await import('./serve.js')).columns);
  addExamples(command, [
    ['petstore serve', 'serve on http://127.0.0.1:4010/v1'],
    ['petstore serve --port 0 --database :memory: --json', 'a throw-away store for a test'],
    ['petstore serve --latency 200 --fault 503:0.05 --fault seed:1', 'a store to test a script with'],
    ['petstore serve keys create --plan pro --label ci', 'a further key, for someone else'],
    [
      'petstore serve --clock 2030-12-06 --database :memory:',
      'a store of the day after `pets get` is removed: it answers 410',
    ],
  ]);
  addNotes(
    command,
    'The base URL is printed once the service accepts requests, and with the first start of a database its API key: the database knows only a digest of it. Ctrl-C ends it in order.',
    'Only hosts that lead here are served: loopback, `--host` and each `--allow-host`; and no web pages of another origin. `GET /healthz` and `GET /v1/openapi.json` need no key, nor does `GET /metrics`, which is there with `--metrics` alone: requests, durations, refusals, bans, connections to the database, and what the process uses.',
    'A pet that was answered with 201 is on disk. Several processes may serve one database; they count together. With `--database postgres://user@host:5432/name` they may be on several machines: while it is away requests are answered 503, and `GET /healthz` too. `PGPASSWORD` keeps its password out of the command line, where others on this machine could see it.',
    'With `--clock` the time of the store starts there and passes as ever: its windows, `Date`, and what it does on the day when an operation goes follow it.',
  );
  command
    .allowExcessArguments()
    .hook('preSubcommand', () => rejectServeFlags(command))
    .hook('preAction', (_, actionCommand) => {
      rejectServeArguments(command, actionCommand);
      checkLimitFlags(actionCommand.opts());
    });
  addSubcommands(command, [keys]);
});

const keys = defineCommand('keys', 'Look after the API keys of the store.', (group) => {
  addExamples(group, [
    ['petstore serve keys create --plan pro --label ci', 'a key of its own for each client'],
    ['petstore serve keys list', 'which there are, and what they have left'],
  ]);
  addNotes(
    group,
    'Each key has its own plan, its own windows and its own ban. A store that runs on the same database knows a key as soon as it is created, and no longer once it is revoked.',
  );
  addSubcommands(group, [createKey, listKeys, revokeKey]);
});

const createKey = defineCommand('create', 'Create an API key, and show it this once.', (command) => {
  command
    .optionsGroup('Limit flags:')
    .option(...planFlag)
    .option(...perMinuteFlag)
    .option(...perDayFlag)
    .optionsGroup('Data flags:')
    .option('--label <text>', 'what the key is for, 1 to 100 characters')
    .option(...keysDatabaseFlag)
    .action(action(async () => (await import('./keys/create.js')).create));
  addColumns(command, async () => (await import('./keys/create.js')).columns);
  addExamples(command, [
    ['petstore serve keys create --plan pro --label ci --json', 'the key and its limits'],
    ['petstore serve keys create --plan enterprise --per-minute 5000 --per-day 200000', 'with limits of its own'],
  ]);
  addNotes(command, 'The database keeps a digest of the key alone, so that nobody can show it again.');
});

const listKeys = defineCommand('list', 'List the API keys, with what each has left.', (command) => {
  command
    .optionsGroup('Data flags:')
    .option(...keysDatabaseFlag)
    .action(action(async () => (await import('./keys/list.js')).list));
  addColumns(command, async () => (await import('./keys/list.js')).columns);
  addExamples(command, [['petstore serve keys list --json', 'the same for a script']]);
});

const revokeKey = defineCommand('revoke', 'Revoke an API key: who uses it is refused from then on.', (command) => {
  command
    .argument('<key>', 'its first characters as listed, or its label; never the key itself', anyText('key-label'))
    .optionsGroup('Data flags:')
    .option(...keysDatabaseFlag)
    .action(action(async () => (await import('./keys/revoke.js')).revoke));
  addExamples(command, [['petstore serve keys revoke ci --yes', 'the key with this label, unasked']]);
  addNotes(
    command,
    'A store answers 401 from its next request on. A key that `--api-key-file` names is known again with the next start of `petstore serve`; where no key is left, that start makes one.',
  );
});

const databaseSyntax = '--database <file>';

const keysDatabaseFlag = [
  databaseSyntax,
  'the one that petstore serve opens (default: in the data directory)',
  anyText('file'),
] as const;

const planFlag = ['--plan <plan>', planNames.join(', '), choice('--plan', planNames)] as const;
const perMinuteFlag = [
  '--per-minute <n>',
  'requests a minute, with --plan enterprise',
  wholeNumber('--per-minute', 1, 1e12),
] as const;
const perDayFlag = [
  '--per-day <n>',
  'requests a day, with --plan enterprise',
  wholeNumber('--per-day', 1, 1e12),
] as const;
