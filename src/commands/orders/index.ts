import type { Word } from '../../cli/command-spec.js';
import { curlFlag } from '../../cli/flag-parsers.js';

export const orders: Word = {
  name: 'orders',
  purpose: 'List store orders (experimental).',
  declare: (noun, { examples, words }) => {
    examples(noun, [['petstore orders list', 'what the store says of its orders']]);
    words(noun, [list]);
  },
};

const list: Word = {
  name: 'list',
  purpose: 'List the orders of the store, whatever shape they have (experimental).',
  declare: (command, { act, examples, notes }) => {
    command.option(...curlFlag).action(act(async () => (await import('./list.js')).list));
    examples(command, [['petstore orders list --json', 'the orders as the service sends them']]);
    notes(
      command,
      'The interface names this operation without describing what it answers: columns are the keys that come, nested values are shown as JSON.',
    );
  },
};
