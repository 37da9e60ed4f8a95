import { getPetDeprecation } from '../../api/operations.js';
import { listLimit, petStatuses } from '../../api/pet.js';
import { action } from '../../app/action.js';
import { addColumns, addExamples, addNotes, defineCommand } from '../../cli/command-spec.js';
import { anyText, choice, curlFlag, invalidFlag, wholeNumber } from '../../cli/flags.js';
import { addSubcommands } from '../../cli/program.js';
import { parseSecondsToMs } from '../../format/duration.js';
import { defaultConcurrency, importFormats } from './import/options.js';
import type { ListOptions } from './list.js';

export const pets = defineCommand('pets', 'List, browse, add, import and export pets.', (group) => {
  addExamples(group, [
    ['petstore pets list --status available', 'List the pets that are for sale'],
    ['petstore pets add', 'Add a pet by answering prompts'],
  ]);
  addSubcommands(group, [list, browse, add, get, importPets, exportPets]);
});

const list = defineCommand('list', 'List pets by ascending id.', (command) => {
  command
    .option(...statusFlag)
    .option(
      '--limit <n>',
      `pets per request, ${listLimit.minimum} to ${listLimit.maximum} (service default: ${listLimit.default})`,
      wholeNumber('--limit', listLimit.minimum, listLimit.maximum),
    )
    .option('--all', `fetch every page (${listLimit.maximum} pets per request, or --limit)`)
    .option('--watch [seconds]', 'poll and print added, removed and changed pets (default: 5)', parsePeriod)
    .option(...curlFlag)
    .action(
      action(
        async () => async (context, options: ListOptions) =>
          options.watch === undefined
            ? (await import('./list.js')).list(context, options)
            : (await import('./watch/watch.js')).watch(context, options),
      ),
    );
  addColumns(command, async () => (await import('./list.js')).petColumns);
  addExamples(command, [
    ['petstore pets list --status available', 'List the pets that are for sale'],
    ['petstore pets list --status available --watch', 'Watch for changes to the pets that are for sale'],
    ['petstore pets list --all --output csv > pets.csv', 'Save every pet for a spreadsheet'],
    ["petstore pets list --json | jq -r '.[].name'", 'Print only the names'],
  ]);
  addNotes(
    command,
    'To list every pet, use `--all`. Without it, the service chooses how many pets to return, unless you pass `--limit`. If there are more pets, a notice says so.',
    '`--all` follows the links to the next page, on the same origin only. A full page without such a link may not be the last page. In this case, petstore prints the list, and the exit code is 10.',
    '`--watch` prints only changes, one per line, such as `+ 12 Ada available`. A line starts with `+` for an added pet, `-` for a removed pet, or `~` for a changed pet. With `--output ndjson`, each line is an object with `event` and `pet`. The value of `event` is `added`, `removed` or `changed`. With `changed`, the object also has the key `before`.',
    'Without `--all`, `--watch` compares only the first page: `--limit` pets, or 100. It uses at most half of the remaining quota, so it polls less often if few requests are left. A transient error prints one warning, and watching continues. Press Ctrl-C to stop; the exit code is 0.',
  );
});

const browse = defineCommand('browse', 'Browse pets in a full-screen view.', (command) => {
  command.action(action(async () => (await import('./browse/browse.js')).browse));
  addExamples(command, [['petstore pets browse', 'Browse, filter and add pets; press ? for help']]);
  addNotes(
    command,
    'Type to filter by name or id. Filters, sorting and End load every page within half of the remaining quota. Press ? for all keys and Esc to quit.',
    'Loaded pages are kept; press Ctrl-R to reload them. The last line shows the profile, the remaining quota and the age of the list.',
    'The command requires an interactive terminal. The exit code is 2 in a pipe, in CI, in screen-reader mode, with `TERM=dumb`, with `--no-input` and with any `--output` except `table`. Use `petstore pets list` instead.',
  );
});

const add = defineCommand('add', 'Add a pet.', (command) => {
  command
    .option('--name <name>', 'name of the pet')
    .option('--category-id <id>', 'category id of the pet, a 64-bit integer')
    .option('--status <status>', `status of the pet: ${petStatuses.join(', ')}`, choice('--status', petStatuses))
    .option('--from <file>', 'read name, categoryId and status from a JSON file (- for stdin)', anyText('file'))
    .option('--dry-run', 'print the pet without sending it')
    .option(...curlFlag)
    .action(action(async () => (await import('./add.js')).add));
  addColumns(command, async () => (await import('./list.js')).petColumns);
  addExamples(command, [
    ['petstore pets add --name Rex --category-id 1 --status available', 'Add a pet'],
    ['echo \'{"name":"Rex","categoryId":1}\' | petstore pets add --from -', 'Add a pet from JSON'],
  ]);
  addNotes(
    command,
    'On a terminal, petstore prompts for missing fields and for a confirmation that names the profile. If you pass `--name` and `--category-id`, it adds the pet without prompts. Without a terminal, a missing field is an error that names the flag.',
    'If no usable response arrives, the pet may have been added: the exit code is 9, and the hint says how to check.',
  );
});

const get = defineCommand(
  'get',
  `Show a pet by id (deprecated; removal on ${getPetDeprecation.removalDate}).`,
  (command) => {
    command
      .argument('[petId]', 'id of the pet')
      .option(...curlFlag)
      .action(action(async () => (await import('./get.js')).get));
    addColumns(command, async () => (await import('./list.js')).petColumns);
    addExamples(command, [
      ['petstore pets get 1', 'Show the pet with id 1'],
      ['petstore pets get 1 --json --fields name', 'Print only the name of the pet, as JSON'],
    ]);
    addNotes(
      command,
      'If you pass no id on a terminal, petstore prompts you to choose a pet. Type to filter the list.',
      `The service will remove this operation on ${getPetDeprecation.removalDate}. Each use prints a warning with a replacement, such as \`petstore pets list --all --jq '.[] | select(.id == 42)'\`.`,
    );
  },
);

const importPets = defineCommand('import', 'Add pets from a file; rerun the command to resume.', (command) => {
  command
    .argument('<file>', 'CSV, JSON array or NDJSON file (- for stdin)', anyText('file'))
    .option(
      '--format <format>',
      `${importFormats.join(', ')} (default: from the file extension or the content)`,
      choice('--format', importFormats),
    )
    .option(
      '--concurrency <n>',
      'maximum number of parallel requests',
      wholeNumber('--concurrency', 1, 64),
      defaultConcurrency,
    )
    .option(
      '--journal <file>',
      'file that records the outcome of each row (default: in the state directory)',
      anyText('file'),
    )
    .option('--rejects <file>', 'save invalid and rejected rows to this file, and import the rest', anyText('file'))
    .option('--force', 'overwrite an existing file in --rejects')
    .option('--dry-run', 'check the rows without sending them')
    // Hidden: only explains why an import cannot be printed as one curl command.
    .addOption(command.createOption(...curlFlag).hideHelp())
    .action(action(async () => (await import('./import.js')).importPets));
  addColumns(command, async () => (await import('./import/summary.js')).summaryColumns);
  addExamples(command, [
    ['petstore pets import pets.csv --dry-run', 'Check every row without sending any'],
    ['petstore pets import pets.csv --rejects rejects.csv', 'Add the valid rows and save the others to rejects.csv'],
    ['petstore pets import pets.csv', 'Import a file, or resume its interrupted import'],
    ['petstore pets export | petstore pets import - -p staging', 'Copy every pet to staging'],
  ]);
  addNotes(
    command,
    'A CSV file needs a header row with `name` and `categoryId`, in any order; `status` is optional. Every row is checked before the first request. Problems are listed by line and field. Nothing is sent until you fix them or pass `--rejects`.',
    'Rows are sent at full speed while the quota lasts. The other rows wait for the next rate-limit windows. If the service responds with 429, the whole import waits.',
    'A journal records the outcome of each row. After Ctrl-C, a crash or a power cut, run the same command again to resume; no pet is added twice. If you append rows to the file, only these rows are added. Any other change needs a confirmation or `--yes`. If a response is lost, the row is sent again if the service honors `Idempotency-Key`. Otherwise the summary lists it as outcome unknown.',
    'The summary goes to stderr, or to stdout with any `--output` except `table`. If some rows were not added, the exit code is 10.',
  );
});

const exportPets = defineCommand('export', 'Export every pet to a file or stdout.', (command) => {
  command
    .argument('[file]', 'CSV, JSON, NDJSON, YAML or TSV file (- for stdout)', anyText('file'))
    .option(...statusFlag)
    .option('--force', 'overwrite an existing file')
    .option(...curlFlag)
    .action(action(async () => (await import('./export.js')).exportPets));
  addColumns(command, async () => (await import('./list.js')).petColumns);
  addExamples(command, [
    ['petstore pets export pets.csv', 'Export every pet for a spreadsheet'],
    ["petstore pets export | jq -r '.name'", 'Print the names, one per line'],
  ]);
  addNotes(
    command,
    'The format comes from `--output`, else from the file extension, else it is NDJSON. The file appears only after the export is complete.',
  );
});

const statusFlag = [
  '--status <status>',
  `only pets with this status: ${petStatuses.join(', ')}`,
  choice('--status', petStatuses),
] as const;

const minPeriodMs = 1_000;

function parsePeriod(text: string): number {
  const milliseconds = parseSecondsToMs(text);
  if (milliseconds !== undefined && milliseconds >= minPeriodMs) return milliseconds;
  throw invalidFlag(`--watch must be a number of seconds from 1 to 86400, not "${text}"`);
}
