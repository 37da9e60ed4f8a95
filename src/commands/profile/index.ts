import { action } from '../../app/action.js';
import { addColumns, addExamples, defineCommand } from '../../cli/command-spec.js';
import { anyText } from '../../cli/flags.js';
import { addSubcommands } from '../../cli/program.js';

export const profile = defineCommand('profile', 'Switch between environments.', (group) => {
  addExamples(group, [
    ['petstore profile list', 'which environments there are'],
    ['petstore profile use staging', 'switch to one of them'],
  ]);
  addSubcommands(group, [list, show, use, set, remove]);
});

const list = defineCommand('list', 'List the profiles; the current one is marked.', (command) => {
  command.action(action(async () => (await import('./show.js')).list, tolerant));
  addColumns(command, async () => (await import('./show.js')).columns);
  addExamples(command, [['petstore profile list', 'which environments there are']]);
});

const show = defineCommand('show', 'Show one profile.', (command) => {
  command
    .argument('[name]', 'the profile (default: the current one)', anyText('profile'))
    .action(action(async () => (await import('./show.js')).show));
  addColumns(command, async () => (await import('./show.js')).columns);
  addExamples(command, [['petstore profile show production', 'where does it lead?']]);
});

const use = defineCommand('use', 'Make a profile the current one.', (command) => {
  command
    .argument('[name]', 'the profile', anyText('profile'))
    .action(action(async () => (await import('./change.js')).use, tolerant));
  addExamples(command, [['petstore profile use sandbox', 'go back to the sample animals']]);
});

const set = defineCommand(
  'set',
  'Add a profile, or change the base URL and output format that it keeps.',
  (command) => {
    command
      .argument('<name>', 'the profile', anyText('profile'))
      .action(action(async () => (await import('./change.js')).set, tolerant));
    addExamples(command, [
      ['petstore profile set staging --base-url https://staging.example.com/v1', 'tell where it is'],
      ['petstore profile set production --output json', 'always JSON from there'],
    ]);
  },
);

const remove = defineCommand(
  'remove',
  'Forget what a profile keeps, its key too; a built-in profile stays, empty.',
  (command) => {
    command
      .argument('<name>', 'the profile', anyText('profile'))
      .action(action(async () => (await import('./change.js')).remove, tolerant));
    addExamples(command, [['petstore profile remove staging', 'forget it, its key too']]);
  },
);

/** If the current profile was deleted, another one can still be selected. */
const tolerant = { toleratesBrokenConfig: true };
