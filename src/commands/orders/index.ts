import { curlFlag } from '../../ports/flag.js';
import type { Noun } from '../../ports/frame.js';

export const orders: Noun = {
  name: 'orders',
  purpose: 'List store orders (experimental).',
  declare: (noun, { act, examples, notes }) => {
    examples(noun, [['petstore orders list', 'what the store says of its orders']]);

    const list = noun
      .command('list')
      .description('List the orders of the store, whatever shape they have (experimental).')
      .option(...curlFlag)
      .action(act(async () => (await import('./list.js')).list));
    examples(list, [['petstore orders list --json', 'the orders as the service sends them']]);
    notes(
      list,
      'The interface names this operation without describing what it answers: columns are the keys that come, nested values are shown as JSON.',
    );
  },
};
