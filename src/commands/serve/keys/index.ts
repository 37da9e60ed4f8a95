import { action } from '../../../app/action.js';
import { addColumns, addExamples, addNotes, defineCommand } from '../../../cli/command-spec.js';
import { anyText } from '../../../cli/flag-parsers.js';
import { addSubcommands } from '../../../cli/program.js';
import { databaseFlag, perDayFlag, perMinuteFlag, planFlag } from '../flags.js';

export const keys = defineCommand('keys', 'Look after the API keys of the store.', (group) => {
  addExamples(group, [
    ['petstore serve keys create --plan pro --label ci', 'a key of its own for each client'],
    ['petstore serve keys list', 'which there are, and what they have left'],
  ]);
  addNotes(
    group,
    'Each key has its own plan, its own windows and its own ban. A store that runs on the same database knows a key as soon as it is created, and no longer once it is revoked.',
  );
  addSubcommands(group, [create, list, revoke]);
});

const create = defineCommand('create', 'Create an API key, and show it this once.', (command) => {
  command
    .optionsGroup('Limit flags:')
    .option(...planFlag)
    .option(...perMinuteFlag)
    .option(...perDayFlag)
    .optionsGroup('Data flags:')
    .option('--label <text>', 'what the key is for, 1 to 100 characters')
    .option(...keysDatabaseFlag)
    .action(action(async () => (await import('./create.js')).create));
  addColumns(command, async () => (await import('./create.js')).columns);
  addExamples(command, [
    ['petstore serve keys create --plan pro --label ci --json', 'the key and its limits'],
    [
      'petstore serve keys create --plan enterprise --per-minute 5000 --per-day 200000',
      'with limits of its own',
    ],
  ]);
  addNotes(
    command,
    'The database keeps a digest of the key alone, so that nobody can show it again.',
  );
});

const list = defineCommand('list', 'List the API keys, with what each has left.', (command) => {
  command
    .optionsGroup('Data flags:')
    .option(...keysDatabaseFlag)
    .action(action(async () => (await import('./list.js')).list));
  addColumns(command, async () => (await import('./list.js')).columns);
  addExamples(command, [['petstore serve keys list --json', 'the same for a script']]);
});

const revoke = defineCommand(
  'revoke',
  'Revoke an API key: who uses it is refused from then on.',
  (command) => {
    command
      .argument(
        '<key>',
        'its first characters as listed, or its label; never the key itself',
        anyText('key-label'),
      )
      .optionsGroup('Data flags:')
      .option(...keysDatabaseFlag)
      .action(action(async () => (await import('./revoke.js')).revoke));
    addExamples(command, [
      ['petstore serve keys revoke ci --yes', 'the key with this label, unasked'],
    ]);
    addNotes(
      command,
      'A store answers 401 from its next request on. A key that `--api-key-file` names is known again with the next start of `petstore serve`; where no key is left, that start makes one.',
    );
  },
);

const keysDatabaseFlag = [
  databaseFlag[0],
  'the one that petstore serve opens (default: in the data directory)',
  databaseFlag[2],
] as const;
