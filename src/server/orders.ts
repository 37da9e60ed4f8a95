/** Always empty: the interface mentions orders and describes none, so none can be made. */
export async function listOrders(): Promise<readonly unknown[]> {
  return [];
}
