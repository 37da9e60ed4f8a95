import { getPetDeprecation } from '../../api/operations.js';
import { listLimit, petStatuses } from '../../api/pet.js';
import { action } from '../../app/action.js';
import { defineCommand, type OutputField } from '../../cli/command-spec.js';
import { anyInteger, anyText, choice, curlFlag, seconds, wholeNumber } from '../../cli/flags.js';
import { importFormats } from '../../format/output-format.js';
import type { ListOptions } from './list.js';

export const pets = defineCommand('pets', 'List, browse, add, import and export pets.', () => ({
  examples: [
    ['petstore pets list --status available', 'List the pets that are for sale'],
    ['petstore pets add', 'Add a pet by answering prompts'],
  ],
  commands: [list, browse, add, get, importPets, exportPets],
}));

const list = defineCommand('list', 'List pets by ascending id.', () => ({
  declare: (command) =>
    command
      .option(...statusFlag)
      .option('--name <text>', 'only pets with this text in their name, ignoring case and accents')
      .option('--category-id <id>', 'only pets of this category', anyInteger())
      .option('--limit <n>', `most pets to print (default: ${listLimit.default})`, wholeNumber('--limit', 1, 1_000_000))
      .option('--all', 'print every pet')
      .option(
        '--watch [seconds]',
        'poll and print added, removed and changed pets (default: 5)',
        seconds('--watch', 1_000, 'from 1 to 86400'),
      )
      .option(...curlFlag)
      .action(
        action(
          async () => async (context, options: ListOptions) =>
            options.watch === undefined
              ? (await import('./list.js')).list(context, options)
              : (await import('./watch/watch.js')).watch(context, options),
        ),
      ),
  output: petOutput,
  examples: [
    ['petstore pets list --status available', 'List the pets that are for sale'],
    ['petstore pets list --status available --watch', 'Watch for changes to the pets that are for sale'],
    ['petstore pets list --all --output csv > pets.csv', 'Save every pet for a spreadsheet'],
    ["petstore pets list --json | jq -r '.[].name'", 'Print only the names'],
  ],
}));

const browse = defineCommand('browse', 'Browse pets in a full-screen view.', () => ({
  declare: (command) => command.action(action(async () => (await import('./browse/browse.js')).browse)),
  writes: true,
  examples: [['petstore pets browse', 'Browse, filter and add pets; press ? for help']],
}));

const add = defineCommand('add', 'Add a pet.', () => ({
  declare: (command) =>
    command
      .option('--name <name>', 'name of the pet')
      .option('--category-id <id>', 'category id of the pet, a 64-bit integer', anyInteger())
      .option('--status <status>', `status of the pet: ${petStatuses.join(', ')}`, choice('--status', petStatuses))
      .option(...curlFlag)
      .action(action(async () => (await import('./add.js')).add)),
  writes: true,
  output: petOutput,
  examples: [['petstore pets add --name Rex --category-id 1 --status available', 'Add a pet']],
}));

const get = defineCommand('get', `Show a pet by id (deprecated; removal on ${getPetDeprecation.removalDate}).`, () => ({
  declare: (command) =>
    command
      .argument('<petId>', 'id of the pet', anyInteger(0))
      .action(action(async () => (await import('./get.js')).get)),
  output: petOutput,
  examples: [
    ['petstore pets get 1', 'Show the pet with id 1'],
    ['petstore pets get 1 --json --fields name', 'Print only the name of the pet, as JSON'],
  ],
}));

const importPets = defineCommand('import', 'Add pets from a file; rerun the command to resume.', () => ({
  declare: (command) =>
    command
      .argument('<file>', 'CSV, JSON array or NDJSON file (- for stdin)', anyText('file'))
      .option(
        '--format <format>',
        `${importFormats.join(', ')} (default: from the file extension or the content)`,
        choice('--format', importFormats),
      )
      .option(
        '--journal <file>',
        'file that records the outcome of each row (default: in the state directory)',
        anyText('file'),
      )
      .option('--rejects <file>', 'save invalid and rejected rows to this file, and import the rest', anyText('file'))
      .option('--force', 'overwrite an existing file in --rejects')
      .option('--dry-run', 'check the rows without sending them')
      .action(action(async () => (await import('./import.js')).importPets)),
  writes: true,
  output: [
    { key: 'added', type: 'integer' },
    { key: 'skipped', type: 'integer' },
    { key: 'rejected', type: 'integer' },
    { key: 'unknown', type: 'integer' },
    { key: 'notSent', type: 'integer' },
    { key: 'seconds', type: 'number' },
    { key: 'rowsPerSecond', type: 'number' },
    { key: 'unknownRows', type: 'array', optional: true },
    { key: 'rejectedRows', type: 'array', optional: true },
    { key: 'journal', type: 'string', optional: true },
  ],
  examples: [
    ['petstore pets import pets.csv --dry-run', 'Check every row without sending any'],
    ['petstore pets import pets.csv --rejects rejects.csv', 'Add the valid rows and save the others to rejects.csv'],
    ['petstore pets import pets.csv', 'Import a file, or resume its interrupted import'],
    ['petstore pets export | petstore pets import - -p staging', 'Copy every pet to staging'],
  ],
}));

const exportPets = defineCommand('export', 'Export every pet to a file or stdout.', () => ({
  declare: (command) =>
    command
      .argument('[file]', 'CSV, JSON, NDJSON, YAML or TSV file (- for stdout)', anyText('file'))
      .option(...statusFlag)
      .option('--force', 'overwrite an existing file')
      .action(action(async () => (await import('./export.js')).exportPets)),
  output: petOutput,
  examples: [
    ['petstore pets export pets.csv', 'Export every pet for a spreadsheet'],
    ["petstore pets export | jq -r '.name'", 'Print the names, one per line'],
  ],
}));

const statusFlag = [
  '--status <status>',
  `only pets with this status: ${petStatuses.join(', ')}`,
  choice('--status', petStatuses),
] as const;

/** The fields of a pet, in the order of the API spec. */
const petOutput: readonly OutputField[] = [
  { key: 'id', type: 'integer' },
  { key: 'name', type: 'string', canShrink: true },
  { key: 'categoryId', type: 'integer', title: 'CATEGORY' },
  { key: 'status', type: 'string', optional: true, style: 'status' },
];
