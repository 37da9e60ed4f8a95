import { listOrders } from '../../api/operations.js';
import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import { inOneBatch, recordsIn } from '../records.js';

/** The orders in any shape: the interface describes none. */
export async function list(context: AppContext): Promise<CommandResult> {
  const { value } = await (await context.client()).call(listOrders, {});
  return {
    kind: 'records',
    ...(value !== undefined && { document: value }),
    batches: inOneBatch(recordsIn(value)),
    emptyMessage: 'No orders found.',
  };
}
