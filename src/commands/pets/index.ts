import { getPetDeprecation } from '../../api/operations.js';
import { listLimit, petStatuses } from '../../api/pet.js';
import { action } from '../../app/action.js';
import { addColumns, addExamples, addNotes, defineCommand } from '../../cli/command-spec.js';
import { anyText, choice, curlFlag, invalidFlag, wholeNumber } from '../../cli/flags.js';
import { addSubcommands } from '../../cli/program.js';
import { parseSecondsToMs } from '../../format/duration.js';
import { defaultConcurrency, importFormats } from './import/options.js';
import type { ListOptions } from './list.js';

export const pets = defineCommand('pets', 'List, browse, add, show, import and export pets.', (group) => {
  addExamples(group, [
    ['petstore pets list --status available', 'what can be bought'],
    ['petstore pets add', 'add a pet: what is missing is asked for'],
  ]);
  addSubcommands(group, [list, browse, add, get, importPets, exportPets]);
});

const list = defineCommand('list', 'List the pets of the store, by ascending id.', (command) => {
  command
    .option(...statusFlag)
    .option(
      '--limit <n>',
      `pets in one request, ${listLimit.minimum} to ${listLimit.maximum} (the service's default: ${listLimit.default})`,
      wholeNumber('--limit', listLimit.minimum, listLimit.maximum),
    )
    .option('--all', `follow the service to the last page (${listLimit.maximum} pets a request)`)
    .option(
      '--watch [seconds]',
      'go on, and tell what comes, goes and changes (every 5 seconds unless told otherwise)',
      parsePeriod,
    )
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
    ['petstore pets list --status available', 'what can be bought'],
    ['petstore pets list --status available --watch', 'and what comes and goes'],
    ['petstore pets list --all --output csv > pets.csv', 'every pet, for a spreadsheet'],
    ["petstore pets list --json | jq -r '.[].name'", 'names for a script'],
  ]);
  addNotes(
    command,
    'Without `--limit` none is sent, and the service chooses how many pets an answer holds (usually 20). A service that has more says so, and one notice names `--all`.',
    '`--all` follows the links of the service from page to page, on the same origin only. Where nobody can tell that the list is whole (as many pets as asked for and no further link), it is shown, and the exit code is 10.',
    '`--watch` tells nothing of the pets that are there, then a line for each change: `+ 12 Ada available`, `-` for what is gone, `~` for what changed; with `--output ndjson` an object with `event` (`added`, `removed`, `changed`), `pet` and, where it changed, `before`.',
    '`--watch` compares what one request brings (`--limit`, else 100 pets) with what the one before brought, or with `--all` the whole list; of pets beyond its end nothing is said. It uses at most half of what is left of the quota before it resets, and asks less often for that; what may be over soon (no network, a failing service, a refusal) is told once, and it goes on. Ctrl-C ends it, with exit code 0.',
  );
});

const browse = defineCommand('browse', 'Look through the pets of the store on a terminal.', (command) => {
  command.action(action(async () => (await import('./browse/browse.js')).browse));
  addExamples(command, [['petstore pets browse', 'look, filter, add; ? shows the keys']]);
  addNotes(
    command,
    'Type to filter by name or id, Tab for the next status, arrows to move; past the end the next page is read. Ctrl-N adds a pet, Ctrl-Y copies the id, Ctrl-R reads again, ? tells all keys, q quits.',
    'Pages that were read are kept, and nothing is read twice unless asked for. The last line tells profile, quota and the age of what is shown; a wait for the quota counts down, and keys go on working.',
    'It needs a terminal that it can draw on: in a pipe, in CI, in accessible mode, with `TERM=dumb`, `--no-input` or a machine format it is exit code 2, and `petstore pets list` shows the same.',
  );
});

const add = defineCommand('add', 'Add a pet to the store.', (command) => {
  command
    .option('--name <name>', 'its name')
    .option('--category-id <id>', 'the category it belongs to, a 64-bit whole number')
    .option('--status <status>', petStatuses.join(', '), choice('--status', petStatuses))
    .option('--from <file>', 'read name, categoryId and status from a JSON file (- for stdin)', anyText('file'))
    .option('--dry-run', 'show what would be sent, and send nothing')
    .option(...curlFlag)
    .action(action(async () => (await import('./add.js')).add));
  addColumns(command, async () => (await import('./list.js')).petColumns);
  addExamples(command, [
    ['petstore pets add --name Rex --category-id 1 --status available', 'add a pet'],
    ['echo \'{"name":"Rex","categoryId":1}\' | petstore pets add --from -', 'add a pet from JSON'],
  ]);
  addNotes(
    command,
    'On a terminal what is missing is asked for, and a confirmation names the profile. Elsewhere the error names the flag that answers. A blank name, an unknown status or a category that is no 64-bit whole number is exit code 2, and nothing is sent.',
    'A create is sent again only where it cannot have been carried out. Where the answer is lost the exit code is 9, and the hint says how to check.',
  );
});

const get = defineCommand(
  'get',
  `Show one pet by its id (deprecated: the service removes this on ${getPetDeprecation.removalDate}).`,
  (command) => {
    command
      .argument('[petId]', 'the id of the pet')
      .option(...curlFlag)
      .action(action(async () => (await import('./get.js')).get));
    addColumns(command, async () => (await import('./list.js')).petColumns);
    addExamples(command, [
      ['petstore pets get 1', 'show the pet with the id 1'],
      ['petstore pets get 1 --json --fields name', 'only its name, as JSON'],
    ]);
    addNotes(
      command,
      'On a terminal without an id: pick one from a list that narrows as you type.',
      'The service marks this operation as deprecated; `petstore pets list` with a status replaces it. Each use says so, with the days that are left.',
    );
  },
);

const importPets = defineCommand(
  'import',
  'Add the pets of a file, paced to the quota; run again, it goes on where it stopped.',
  (command) => {
    command
      .argument('<file>', 'CSV, a JSON array or NDJSON (- for stdin)', anyText('file'))
      .option(
        '--format <format>',
        `${importFormats.join(', ')} (default: what the name ends in, or what it looks like)`,
        choice('--format', importFormats),
      )
      .option('--concurrency <n>', 'requests at once', wholeNumber('--concurrency', 1, 64), defaultConcurrency)
      .option(
        '--journal <file>',
        'where to write down what was sent (default: in the state directory)',
        anyText('file'),
      )
      .option('--rejects <file>', 'keep rows that cannot be added there, and send the others', anyText('file'))
      .option('--dry-run', 'check the rows, and send nothing')
      // Hidden: it only explains why an import cannot be shown as one curl command.
      .addOption(command.createOption(...curlFlag).hideHelp())
      .action(action(async () => (await import('./import.js')).importPets));
    addColumns(command, async () => (await import('./import/summary.js')).summaryColumns);
    addExamples(command, [
      ['petstore pets import pets.csv --dry-run', 'check every row first'],
      ['petstore pets import pets.csv --rejects rejects.csv', 'add what can be added'],
      ['petstore pets import pets.csv', 'the same again goes on after an interruption'],
      ['petstore pets export | petstore pets import - -p staging', 'from store to store'],
    ]);
    addNotes(
      command,
      'CSV has a header row with `name`, `categoryId` and perhaps `status`, in any order. Every row is checked before the first request, and all problems are told by line and field; nothing is sent until the file is clean or `--rejects` is given.',
      'Rows that fit into what remains of the quota go at full speed, more are spread over the windows. After a refusal the whole import waits.',
      'A journal keeps what became of each row, so that the same command goes on after Ctrl-C, a kill or a power cut, and adds no pet twice. A row whose answer was lost is in doubt: it is listed at the end, and never sent again by itself.',
      'The summary goes to stderr in words, and with a machine format to stdout. Any row that was not added makes the exit code 10.',
    );
  },
);

const exportPets = defineCommand('export', 'Write every pet to a file, as it comes.', (command) => {
  command
    .argument('[file]', 'CSV, JSON, NDJSON, YAML or TSV by its name (- for stdout)', anyText('file'))
    .option(...statusFlag)
    .option('--force', 'replace a file that is there')
    .option(...curlFlag)
    .action(action(async () => (await import('./export.js')).exportPets));
  addColumns(command, async () => (await import('./list.js')).petColumns);
  addExamples(command, [
    ['petstore pets export pets.csv', 'every pet, for a spreadsheet'],
    ["petstore pets export | jq -r '.name'", 'NDJSON, a pet a line'],
  ]);
  addNotes(
    command,
    "The format is that of `--output`, else of the file's extension, else NDJSON. A file appears whole under its name or not at all.",
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
  throw invalidFlag(`--watch must be seconds, from 1 to 86400, not "${text}"`);
}
