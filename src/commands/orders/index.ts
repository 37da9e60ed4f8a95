import { action } from '../../app/action.js';
import { addExamples, addOutput, defineCommand } from '../../cli/command-spec.js';
import { addSubcommands } from '../../cli/program.js';

export const orders = defineCommand('orders', 'View store orders (experimental).', (group) => {
  addExamples(group, [['petstore orders list', 'List the orders']]);
  addSubcommands(group, [list]);
});

const list = defineCommand('list', 'List store orders (experimental).', (command) => {
  command.action(action(async () => (await import('./list.js')).list));
  addOutput(command, []);
  addExamples(command, [['petstore orders list --json', 'Print the orders as JSON']]);
});
