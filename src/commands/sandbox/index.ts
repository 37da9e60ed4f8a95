import { planNames } from '../../api/plan.js';
import { action } from '../../app/action.js';
import { defineCommand } from '../../cli/command-spec.js';
import { choice, wholeNumber } from '../../cli/flags.js';

export const sandbox = defineCommand('sandbox', 'Manage the data and limits of the sandbox.', () => ({
  examples: [['petstore sandbox status', 'Show the data file, pets and limits of the sandbox']],
  commands: [status, plan, reset],
}));

const status = defineCommand('status', 'Show the data file, pets and limits of the sandbox.', () => ({
  declare: (command) => command.action(action(async () => (await import('./sandbox.js')).status)),
  output: [
    { key: 'path', type: 'string' },
    { key: 'pets', type: 'integer', format: 'count' },
    { key: 'plan', type: 'string' },
    { key: 'perMinute', type: 'integer', format: 'count' },
    { key: 'perDay', type: 'integer', format: 'count' },
  ],
  examples: [['petstore sandbox status --json', 'Print the status as JSON']],
}));

const plan = defineCommand('plan', 'Change the limits of the sandbox and keep its pets.', () => ({
  declare: (command) =>
    command
      .argument('<plan>', planNames.join(', '), choice('the plan', planNames))
      .action(action(async () => (await import('./sandbox.js')).plan)),
  examples: [['petstore sandbox plan enterprise', 'Allow 10,000 requests per minute']],
}));

const reset = defineCommand('reset', 'Restore the sample pets and reset the quota.', () => ({
  declare: (command) =>
    command
      .option('--plan <plan>', `new plan: ${planNames.join(', ')}`, choice('--plan', planNames))
      .option(
        '--pets <count>',
        'number of sample pets, which are always the same (default: 72)',
        wholeNumber('--pets', 0, maxSamplePets),
      )
      .action(action(async () => (await import('./sandbox.js')).reset)),
  writes: true,
  examples: [
    ['petstore sandbox reset --yes', 'Restore the sample pets without confirmation'],
    ['petstore sandbox reset --pets 1000 --yes', 'Replace all pets with 1,000 sample pets'],
    ['petstore sandbox reset --pets 0 --yes', 'Delete all pets'],
  ],
}));

const maxSamplePets = 1_000_000;
