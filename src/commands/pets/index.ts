import { getPetDeprecation } from '../../contract/operations.js';
import { listLimit, petStatuses } from '../../contract/pet.js';
import { choice, wholeNumber } from '../../ports/flag.js';
import type { Noun } from '../../ports/frame.js';
import type { AddOptions } from './add.js';
import type { ListOptions } from './list.js';

export const pets: Noun = (program, { act, examples }) => {
  const noun = program.command('pets').description('List, add and show pets.');

  const list = noun
    .command('list')
    .description('List the pets of the store, by ascending id.')
    .option(
      '--status <status>',
      `only pets with this status: ${petStatuses.join(', ')}`,
      choice('--status', petStatuses),
    )
    .option(
      '--limit <n>',
      `pets in one request, ${listLimit.minimum} to ${listLimit.maximum} (the service's default: ${listLimit.default})`,
      wholeNumber('--limit', listLimit.minimum, listLimit.maximum),
    )
    .option('--all', `follow the service to the last page (${listLimit.maximum} pets a request)`)
    .action(
      act(async (context, options: ListOptions) =>
        (await import('./list.js')).list(context, options),
      ),
    );
  examples(list, [
    ['petstore pets list --status available', 'what can be bought'],
    ['petstore pets list --all --output csv > pets.csv', 'every pet, for a spreadsheet'],
    ["petstore pets list --json | jq -r '.[].name'", 'names for a script'],
  ]);

  const add = noun
    .command('add')
    .description('Add a pet to the store.')
    .option('--name <name>', 'its name')
    .option('--category-id <id>', 'the category it belongs to, a 64-bit whole number')
    .option('--status <status>', petStatuses.join(', '), choice('--status', petStatuses))
    .option('--from <file>', 'read name, categoryId and status from a JSON file (- for stdin)')
    .option('--dry-run', 'show what would be sent, and send nothing')
    .action(
      act(async (context, options: AddOptions) => (await import('./add.js')).add(context, options)),
    );
  examples(add, [
    ['petstore pets add --name Rex --category-id 1 --status available', 'add a pet'],
    ['echo \'{"name":"Rex","categoryId":1}\' | petstore pets add --from -', 'add a pet from JSON'],
  ]);

  const get = noun
    .command('get')
    .description(
      `Show one pet by its id (deprecated: the service removes this on ${getPetDeprecation.removalDate}).`,
    )
    .argument('[petId]', 'the id of the pet')
    .action(
      act(async (context, petId: string | undefined) =>
        (await import('./get.js')).get(context, petId),
      ),
    );
  examples(get, [
    ['petstore pets get 1', 'show the pet with the id 1'],
    ['petstore pets get 1 --json --fields name', 'only its name, as JSON'],
  ]);
};
