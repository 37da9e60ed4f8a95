import { action } from '../../app/action.js';
import { defineCommand } from '../../cli/command-spec.js';

export const orders = defineCommand('orders', 'View store orders (experimental).', () => ({
  examples: [['petstore orders list', 'List the orders']],
  commands: [list],
}));

const list = defineCommand('list', 'List store orders (experimental).', () => ({
  declare: (command) => command.action(action(async () => (await import('./list.js')).list)),
  output: [],
  examples: [['petstore orders list --json', 'Print the orders as JSON']],
}));
