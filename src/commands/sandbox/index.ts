import { planNames } from '../../api/plan.js';
import { action } from '../../app/action.js';
import { addExamples, addTraits, defineCommand } from '../../cli/command-spec.js';
import { anyText, choice, wholeNumber } from '../../cli/flags.js';
import { addSubcommands } from '../../cli/program.js';

export const sandbox = defineCommand('sandbox', 'Manage the data and limits of the sandbox.', (group) => {
  addExamples(group, [['petstore sandbox status', 'Show the data file, pets and limits of the sandbox']]);
  addSubcommands(group, [status, plan, reset, save, restore]);
});

const status = defineCommand('status', 'Show the data file, pets and limits of the sandbox.', (command) => {
  command.action(action(async () => (await import('./sandbox.js')).status));
  addExamples(command, [['petstore sandbox status --json', 'Print the status as JSON']]);
});

const plan = defineCommand('plan', 'Change the limits of the sandbox and keep its pets.', (command) => {
  command
    .argument('<plan>', planNames.join(', '), choice('the plan', planNames))
    .action(action(async () => (await import('./sandbox.js')).plan));
  addExamples(command, [['petstore sandbox plan enterprise', 'Allow 10,000 requests per minute']]);
});

const reset = defineCommand('reset', 'Restore the sample pets and reset the quota.', (command) => {
  command
    .option('--plan <plan>', `new plan: ${planNames.join(', ')}`, choice('--plan', planNames))
    .option('--empty', 'delete all pets without restoring the sample pets')
    .option('--pets <count>', 'generate this many sample pets', wholeNumber('--pets', 0, maxGeneratedPets))
    .option('--seed <number>', 'seed of the generated pets (default: 1)', wholeNumber('--seed', 0, 2 ** 32 - 1))
    .action(action(async () => (await import('./sandbox.js')).reset));
  addTraits(command, 'writes');
  addExamples(command, [
    ['petstore sandbox reset --yes', 'Restore the sample pets without confirmation'],
    ['petstore sandbox reset --pets 1000 --seed 7 --yes', 'Replace all pets with the same 1,000 pets each time'],
  ]);
});

const save = defineCommand('save', 'Save the pets and the plan under a name.', (command) => {
  command
    .argument('<name>', 'name of the saved sandbox', anyText('saved-sandbox'))
    .option('--force', 'replace a saved sandbox of this name')
    .action(action(async () => (await import('./sandbox.js')).save));
  addExamples(command, [['petstore sandbox save fixtures', 'Save the pets for later tests']]);
});

const restore = defineCommand('restore', 'Restore saved pets and reset the quota.', (command) => {
  command
    .argument('<name>', 'name of the saved sandbox', anyText('saved-sandbox'))
    .action(action(async () => (await import('./sandbox.js')).restore));
  addTraits(command, 'writes');
  addExamples(command, [['petstore sandbox restore fixtures --yes', 'Restore the saved pets before a test']]);
});

/** Their JSON takes about 70 MB. */
const maxGeneratedPets = 1_000_000;
