import { action } from '../../app/action.js';
import { addExamples, addNotes, defineCommand } from '../../cli/command-spec.js';
import { curlFlag } from '../../cli/flags.js';
import { addSubcommands } from '../../cli/program.js';

export const orders = defineCommand('orders', 'List store orders (experimental).', (group) => {
  addExamples(group, [['petstore orders list', 'what the store says of its orders']]);
  addSubcommands(group, [list]);
});

const list = defineCommand(
  'list',
  'List the orders of the store, whatever shape they have (experimental).',
  (command) => {
    command.option(...curlFlag).action(action(async () => (await import('./list.js')).list));
    addExamples(command, [['petstore orders list --json', 'the orders as the service sends them']]);
    addNotes(
      command,
      'The interface names this operation without describing what it answers: columns are the keys that come, nested values are shown as JSON.',
    );
  },
);
