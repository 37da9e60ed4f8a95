import type { Word } from '../../../cli/command-spec.js';
import { anyText } from '../../../cli/flag-parsers.js';
import { databaseFlag, perDayFlag, perMinuteFlag, planFlag } from '../flags.js';

/** `petstore serve keys`. */
export const keys: Word = {
  name: 'keys',
  purpose: 'Look after the API keys of the store.',
  declare: (noun, { examples, notes, words }) => {
    examples(noun, [
      ['petstore serve keys create --plan pro --label ci', 'a key of its own for each client'],
      ['petstore serve keys list', 'which there are, and what they have left'],
    ]);
    notes(
      noun,
      'Each key has its own plan, its own windows and its own ban. A store that runs on the same database knows a key as soon as it is created, and no longer once it is revoked.',
    );
    words(noun, [create, list, revoke]);
  },
};

const create: Word = {
  name: 'create',
  purpose: 'Create an API key, and show it this once.',
  declare: (command, { act, columns, examples, notes }) => {
    command
      .optionsGroup('Limit flags:')
      .option(...planFlag)
      .option(...perMinuteFlag)
      .option(...perDayFlag)
      .optionsGroup('Data flags:')
      .option('--label <text>', 'what the key is for, 1 to 100 characters')
      .option(...keysDatabaseFlag)
      .action(act(async () => (await import('./create.js')).create));
    columns(command, async () => (await import('./create.js')).columns);
    examples(command, [
      ['petstore serve keys create --plan pro --label ci --json', 'the key and its limits'],
      [
        'petstore serve keys create --plan enterprise --per-minute 5000 --per-day 200000',
        'with limits of its own',
      ],
    ]);
    notes(
      command,
      'The database keeps a digest of the key alone, so that nobody can show it again.',
    );
  },
};

const list: Word = {
  name: 'list',
  purpose: 'List the API keys, with what each has left.',
  declare: (command, { act, columns, examples }) => {
    command
      .optionsGroup('Data flags:')
      .option(...keysDatabaseFlag)
      .action(act(async () => (await import('./list.js')).list));
    columns(command, async () => (await import('./list.js')).columns);
    examples(command, [['petstore serve keys list --json', 'the same for a script']]);
  },
};

const revoke: Word = {
  name: 'revoke',
  purpose: 'Revoke an API key: who uses it is refused from then on.',
  declare: (command, { act, examples, notes }) => {
    command
      .argument(
        '<key>',
        'its first characters as listed, or its label; never the key itself',
        anyText('key-label'),
      )
      .optionsGroup('Data flags:')
      .option(...keysDatabaseFlag)
      .action(act(async () => (await import('./revoke.js')).revoke));
    examples(command, [
      ['petstore serve keys revoke ci --yes', 'the key with this label, unasked'],
    ]);
    notes(
      command,
      'A store answers 401 from its next request on. A key that `--api-key-file` names is known again with the next start of `petstore serve`; where no key is left, that start makes one.',
    );
  },
};

const [databaseTerm, , parseDatabase] = databaseFlag;

const keysDatabaseFlag = [
  databaseTerm,
  'the one that petstore serve opens (default: in the data directory)',
  parseDatabase,
] as const;
