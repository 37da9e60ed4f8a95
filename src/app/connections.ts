import type { Client } from '../client/client.js';
import { resolveTarget, type Target } from '../config/target.js';
import type { Connection } from './connect.js';
import { type AppContext, type Connections, targetOptions } from './context.js';
import type { ConnectionOptions } from './waits.js';

export function openConnections(context: AppContext): Connections {
  const { runtime, settings } = context;
  let connection: Connection | undefined;
  let client: Promise<Client> | undefined;
  let endsOnSignal = false;
  const connect = async (target: Target, options?: ConnectionOptions) => {
    const { openConnection } = await import('./connect.js');
    connection = await openConnection(target, context, options);
    context.onClose(connection.close);
    return connection;
  };
  /** Defers signals until the command is closed, so that none interrupts it between two requests. */
  const connectDeferringSignals = async (options: ConnectionOptions) => {
    const opened = await connect(await resolveTarget(targetOptions(context)), options);
    const release = runtime.deferSignals();
    context.onClose(async () => release());
    return opened;
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
    openForImport: async (options) => {
      if (settings.curl) throw (await import('./curl.js')).importNotPreviewable();
      const opened = await connectDeferringSignals({ ...options, isImport: true });
      const { client: importClient, account } = opened;
      return { client: importClient, account, quota: () => opened.reached()?.quota };
    },
    openLongLived: async ({ endsOnSignal: isNormalEnd = false, ...options }) => {
      const { label, quota, ...opened } = await connectDeferringSignals(options);
      endsOnSignal = isNormalEnd;
      return { client: opened.client, label, quota };
    },
    clientAt: async (baseUrl, key, label) => {
      const target = { kind: 'remote', label, baseUrl, key, keySource: 'the login' } as const;
      return (await connect(target)).client;
    },
    reached: () => connection?.reached(),
    settled: async () => connection?.settled(),
    throwIfAborted: () => {
      if (connection && !endsOnSignal) context.signal.throwIfAborted();
    },
  };
}
