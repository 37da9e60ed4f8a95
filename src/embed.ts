import type { Transport } from './contract/exchange.js';
import { Failure } from './ports/failure.js';
import { openSandbox, type SandboxOptions } from './service/sandbox.js';
import { DatabaseError } from './service/sqlite.js';

export { createKey } from './service/keys.js';

/** The embedded store as a transport: no port, no socket. What fails in it failed on this machine. */
export async function embed(
  options: SandboxOptions,
): Promise<{ send: Transport; isNew: boolean; close(): Promise<void> }> {
  const { handle, isNew, close } = await openSandbox(options).catch((error: unknown) => {
    throw databaseFailure(error, options.path);
  });
  return {
    isNew,
    close,
    send: (request) =>
      handle(request, 'this process').catch((error: unknown) => {
        throw databaseFailure(error, options.path);
      }),
  };
}

/** A database that cannot be used, in words; anything else as it is. */
export function databaseFailure(error: unknown, path: string): unknown {
  if (error instanceof DatabaseError) {
    return new Failure('machine', {
      code: error.reason.replace('-', '_'),
      message: error.message,
      hint: hints[error.reason],
      cause: error,
    });
  }
  if (!/sqlite|database/i.test((error as Error).message)) return error;
  return new Failure('machine', {
    code: 'database_failed',
    message: `the database ${path} failed: ${(error as Error).message}`,
    cause: error,
  });
}

const hints: Readonly<Record<DatabaseError['reason'], string>> = {
  'no-sqlite': 'install Node.js 24 or later, or petstore with its optional dependencies',
  busy: 'another process holds it; try again',
  newer: 'update petstore',
  unusable: 'check its permissions and the free space; if the file is damaged, move it away',
};
