import { listOrders } from '../../api/operations.js';
import type { AppContext } from '../../app/context.js';
import { type CommandResult, toRecords } from '../../cli/command-result.js';

/** Returns the orders. The API spec does not define their fields. */
export async function list(context: AppContext): Promise<CommandResult> {
  const { value } = await (await context.client()).call(listOrders, {});
  return {
    kind: 'records',
    ...(value !== undefined && { document: value }),
    records: toRecords(value),
    emptyMessage: 'No orders found.',
  };
}
