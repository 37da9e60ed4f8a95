import { action } from '../../app/action.js';
import { addExamples, addNotes, type CommandSpec } from '../../cli/command-spec.js';
import { curlFlag } from '../../cli/flag-parsers.js';
import { addSubcommands } from '../../cli/program.js';

export const orders: CommandSpec = {
  name: 'orders',
  summary: 'List store orders (experimental).',
  declare: (group) => {
    addExamples(group, [['petstore orders list', 'what the store says of its orders']]);
    addSubcommands(group, [list]);
  },
};

const list: CommandSpec = {
  name: 'list',
  summary: 'List the orders of the store, whatever shape they have (experimental).',
  declare: (command) => {
    command.option(...curlFlag).action(action(async () => (await import('./list.js')).list));
    addExamples(command, [['petstore orders list --json', 'the orders as the service sends them']]);
    addNotes(
      command,
      'The interface names this operation without describing what it answers: columns are the keys that come, nested values are shown as JSON.',
    );
  },
};
