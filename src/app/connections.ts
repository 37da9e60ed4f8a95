import type { Client } from '../client/client.js';
import { createLocks } from '../config/lock.js';
import { sandboxOrigin } from '../config/profile.js';
import { resolveTarget, type Target } from '../config/target.js';
import { hashAccount, openFileLedger } from '../quota/file-ledger.js';
import { emptyLedgerEntry, type LedgerEntry } from '../quota/ledger.js';
import type { OpenConnection } from './connect.js';
import type { AppContext, ConnectionOptions, Connections } from './context.js';
import { targetOptions } from './target.js';

export function openConnections(context: AppContext): Connections {
  const { runtime, settings } = context;
  let connection: OpenConnection | undefined;
  let client: Promise<Client> | undefined;
  let endsOnSignal = false;
  const connect = async (target: Target, options?: ConnectionOptions) => {
    const { openConnection } = await import('./connect.js');
    connection = await openConnection(target, context, options);
    context.onClose(connection.close);
    return connection;
  };
  return {
    client: () => {
      client ??= settings.curl
        ? import('./curl.js').then(({ openCurlClient }) => openCurlClient(context))
        : resolveTarget(targetOptions(context)).then(
            async (target) => (await connect(target)).client,
          );
      return client;
    },
    open: async (options) => {
      if (settings.curl && options.isImport) {
        throw (await import('./curl.js')).importNotPreviewable();
      }
      endsOnSignal = options.endsOnSignal ?? false;
      const opened = await connect(await resolveTarget(targetOptions(context)), options);
      // Between two requests too, a signal must not end the process.
      const release = runtime.deferSignals();
      context.onClose(async () => release());
      return opened;
    },
    clientAt: async (baseUrl, key, label) => {
      const target = { kind: 'remote', label, baseUrl, key, keySource: 'the login' } as const;
      return (await connect(target)).client;
    },
    reached: () => {
      const quota = connection?.reportedQuota();
      return connection && quota && { label: connection.label, quota };
    },
    settled: async () => connection?.settled(),
    throwIfAborted: () => {
      if (connection && !endsOnSignal) context.signal.throwIfAborted();
    },
  };
}

/** Returns the ledger entry of the account in use. It is empty if no request could be sent. */
export async function findLastQuota(context: AppContext): Promise<LedgerEntry> {
  const { runtime, settings, config } = context;
  const { baseUrl, key, problem } = await config.account();
  if (!key || problem) return emptyLedgerEntry;
  const origin = baseUrl === undefined ? sandboxOrigin : config.parseBaseUrl(baseUrl).origin;
  const account = hashAccount(origin, key);
  const local = openFileLedger(config.paths.quota, account, createLocks(runtime), () => {});
  if (!settings.ledger || baseUrl === undefined) return local.find();
  const { openSharedLedger } = await import('./redis-ledger.js');
  const sharedLedger = openSharedLedger(account, local, context);
  try {
    return await sharedLedger.find();
  } finally {
    sharedLedger.close();
  }
}
