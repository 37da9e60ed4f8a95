import type { Noun } from '../../ports/frame.js';

export const orders: Noun = (program, { act, examples }) => {
  const noun = program.command('orders').description('List store orders (experimental).');

  const list = noun
    .command('list')
    .description('List the orders of the store, whatever shape they have (experimental).')
    .action(act(async (context) => (await import('./list.js')).list(context)));
  examples(list, [['petstore orders list --json', 'the orders as the service sends them']]);
};
