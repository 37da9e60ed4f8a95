import type { Transport } from '../contract/exchange.js';
import { openSandbox, type SandboxOptions } from '../service/sandbox.js';
import { databaseFailure } from './database-failure.js';

export { createKey } from '../service/keys.js';

/** The embedded store as a transport: no port, no socket. What fails in it failed on this machine. */
export async function embed(
  options: SandboxOptions,
): Promise<{ send: Transport; isNew: boolean; close(): Promise<void> }> {
  const { handle, isNew, close } = await openSandbox(options).catch((error: unknown) => {
    throw databaseFailure(error);
  });
  return {
    isNew,
    close,
    send: (request) =>
      handle(request, 'this process').catch((error: unknown) => {
        throw databaseFailure(error);
      }),
  };
}
