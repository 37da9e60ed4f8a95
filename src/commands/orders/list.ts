import { listOrders } from '../../api/operations.js';
import type { Context } from '../../app/context.js';
import type { Shown } from '../../cli/command-result.js';
import { inOneBatch, recordsIn } from '../records.js';

/** The orders in any shape: the interface describes none. */
export async function list(context: Context): Promise<Shown> {
  const { value } = await (await context.client()).call(listOrders, {});
  return {
    kind: 'records',
    ...(value !== undefined && { document: value }),
    batches: inOneBatch(recordsIn(value)),
    empty: 'No orders found.',
  };
}
