import type { Word } from '../../cli/command-spec.js';
import { anyText } from '../../cli/flag-parsers.js';

export const profile: Word = {
  name: 'profile',
  purpose: 'Switch between environments.',
  declare: (noun, { examples, words }) => {
    examples(noun, [
      ['petstore profile list', 'which environments there are'],
      ['petstore profile use staging', 'switch to one of them'],
    ]);
    words(noun, [list, show, use, set, remove]);
  },
};

const list: Word = {
  name: 'list',
  purpose: 'List the profiles; the current one is marked.',
  declare: (command, { act, columns, examples }) => {
    command.action(act(async () => (await import('./list.js')).list, tolerant));
    columns(command, async () => (await import('./record.js')).profileColumns);
    examples(command, [['petstore profile list', 'which environments there are']]);
  },
};

const show: Word = {
  name: 'show',
  purpose: 'Show one profile.',
  declare: (command, { act, columns, examples }) => {
    command
      .argument('[name]', 'the profile (default: the current one)', anyText('profile'))
      .action(act(async () => (await import('./show.js')).show));
    columns(command, async () => (await import('./record.js')).profileColumns);
    examples(command, [['petstore profile show production', 'where does it lead?']]);
  },
};

const use: Word = {
  name: 'use',
  purpose: 'Make a profile the current one.',
  declare: (command, { act, examples }) => {
    command
      .argument('[name]', 'the profile', anyText('profile'))
      .action(act(async () => (await import('./use.js')).use, tolerant));
    examples(command, [['petstore profile use sandbox', 'go back to the sample animals']]);
  },
};

const set: Word = {
  name: 'set',
  purpose: 'Add a profile, or change the base URL and output format that it keeps.',
  declare: (command, { act, examples }) => {
    command
      .argument('<name>', 'the profile', anyText('profile'))
      .action(act(async () => (await import('./set.js')).set, tolerant));
    examples(command, [
      [
        'petstore profile set staging --base-url https://staging.example.com/v1',
        'tell where it is',
      ],
      ['petstore profile set production --output json', 'always JSON from there'],
    ]);
  },
};

const remove: Word = {
  name: 'remove',
  purpose: 'Forget what a profile keeps, its key too; a built-in profile stays, empty.',
  declare: (command, { act, examples }) => {
    command
      .argument('<name>', 'the profile', anyText('profile'))
      .action(act(async () => (await import('./remove.js')).remove, tolerant));
    examples(command, [['petstore profile remove staging', 'forget it, its key too']]);
  },
};

/** A profile that is chosen and gone must not keep another one from being chosen. */
const tolerant = { tolerant: true };
