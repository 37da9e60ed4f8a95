import { planNames } from '../../api/plan.js';
import { action } from '../../app/action.js';
import { addExamples, addOutput, defineCommand, markAsWriting } from '../../cli/command-spec.js';
import { choice, wholeNumber } from '../../cli/flags.js';
import { addSubcommands } from '../../cli/program.js';

export const sandbox = defineCommand('sandbox', 'Manage the data and limits of the sandbox.', (group) => {
  addExamples(group, [['petstore sandbox status', 'Show the data file, pets and limits of the sandbox']]);
  addSubcommands(group, [status, plan, reset]);
});

const status = defineCommand('status', 'Show the data file, pets and limits of the sandbox.', (command) => {
  command.action(action(async () => (await import('./sandbox.js')).status));
  addOutput(command, [
    { key: 'path', type: 'string' },
    { key: 'pets', type: 'integer', format: 'count' },
    { key: 'plan', type: 'string' },
    { key: 'perMinute', type: 'integer', format: 'count' },
    { key: 'perDay', type: 'integer', format: 'count' },
  ]);
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
    .option(
      '--pets <count>',
      'number of sample pets, which are always the same (default: 72)',
      wholeNumber('--pets', 0, maxSamplePets),
    )
    .action(action(async () => (await import('./sandbox.js')).reset));
  markAsWriting(command);
  addExamples(command, [
    ['petstore sandbox reset --yes', 'Restore the sample pets without confirmation'],
    ['petstore sandbox reset --pets 1000 --yes', 'Replace all pets with 1,000 sample pets'],
    ['petstore sandbox reset --pets 0 --yes', 'Delete all pets'],
  ]);
});

const maxSamplePets = 1_000_000;
