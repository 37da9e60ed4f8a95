import { anyText } from '../../ports/flag.js';
import type { Noun } from '../../ports/frame.js';

export const profile: Noun = {
  name: 'profile',
  purpose: 'Switch between environments.',
  declare: (noun, { act, examples }) => {
    examples(noun, [
      ['petstore profile list', 'which environments there are'],
      ['petstore profile use staging', 'switch to one of them'],
    ]);

    const list = noun
      .command('list')
      .description('List the profiles; the current one is marked.')
      .action(act(async () => (await import('./list.js')).list, tolerant));
    examples(list, [['petstore profile list', 'which environments there are']]);

    const show = noun
      .command('show')
      .description('Show one profile.')
      .argument('[name]', 'the profile (default: the current one)', anyText('profile'))
      .action(act(async () => (await import('./show.js')).show));
    examples(show, [['petstore profile show production', 'where does it lead?']]);

    const use = noun
      .command('use')
      .description('Make a profile the current one.')
      .argument('[name]', 'the profile', anyText('profile'))
      .action(act(async () => (await import('./use.js')).use, tolerant));
    examples(use, [['petstore profile use sandbox', 'go back to the sample animals']]);

    const set = noun
      .command('set')
      .description('Add a profile, or change the base URL and output format that it keeps.')
      .argument('<name>', 'the profile', anyText('profile'))
      .action(act(async () => (await import('./set.js')).set, tolerant));
    examples(set, [
      [
        'petstore profile set staging --base-url https://staging.example.com/v1',
        'tell where it is',
      ],
      ['petstore profile set production --output json', 'always JSON from there'],
    ]);

    const remove = noun
      .command('remove')
      .description('Forget what a profile keeps, its key too; a built-in profile stays, empty.')
      .argument('<name>', 'the profile', anyText('profile'))
      .action(act(async () => (await import('./remove.js')).remove, tolerant));
    examples(remove, [['petstore profile remove staging --yes', 'forget it, unasked']]);
  },
};

/** A profile that is chosen and gone must not keep another one from being chosen. */
const tolerant = { tolerant: true };
