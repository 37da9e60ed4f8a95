import { planNames } from '../../api/plan.js';
import { action } from '../../app/action.js';
import { addColumns, addExamples, defineCommand } from '../../cli/command-spec.js';
import { choice } from '../../cli/flags.js';
import { addSubcommands } from '../../cli/program.js';

export const sandbox = defineCommand('sandbox', 'Look after the built-in store.', (group) => {
  addExamples(group, [['petstore sandbox status', 'where its data lies, and what it allows']]);
  addSubcommands(group, [status, plan, reset]);
});

const status = defineCommand('status', 'Show where the data of the sandbox lies, and its plan.', (command) => {
  command.action(action(async () => (await import('./sandbox.js')).status));
  addColumns(command, async () => (await import('./sandbox.js')).columns);
  addExamples(command, [['petstore sandbox status --json', 'the same for a script']]);
});

const plan = defineCommand('plan', 'Change the limits of the sandbox; its pets stay.', (command) => {
  command
    .argument('<plan>', planNames.join(', '), choice('the plan', planNames))
    .action(action(async () => (await import('./sandbox.js')).plan));
  addExamples(command, [['petstore sandbox plan enterprise', 'when 60 requests a minute are too few']]);
});

const reset = defineCommand('reset', 'Put the sample animals back and start the quota anew.', (command) => {
  command
    .option('--plan <plan>', planNames.join(', '), choice('--plan', planNames))
    .option('--empty', 'without any animals')
    .action(action(async () => (await import('./sandbox.js')).reset));
  addExamples(command, [['petstore sandbox reset --yes', 'as on the first day, unasked']]);
});
