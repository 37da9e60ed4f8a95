import type { Client } from '../client/client-types.js';
import { resolveTarget, type Target } from '../config/target.js';
import type { Connection } from './connect.js';
import { type AppContext, type Connections, targetOptions } from './context.js';
import type { ConnectionOptions } from './waits.js';

export function openConnections(context: AppContext): Connections {
  const { runtime, settings } = context;
  let connection: Connection | undefined;
  let client: Promise<Client> | undefined;
  let endsBySignal = false;
  const connect = async (target: Target, options?: ConnectionOptions) => {
    const { openConnection } = await import('./connect.js');
    connection = await openConnection(target, context, options);
    context.onClose(connection.close);
    return connection;
  };
  /** A signal ends these gracefully, also between two requests. */
  const connectForMany = async (options: ConnectionOptions) => {
    const opened = await connect(await resolveTarget(targetOptions(context)), options);
    const release = runtime.deferSignals();
    context.onClose(async () => release());
    return opened;
  };
  return {
    client: () => {
      client ??= settings.curl
        ? import('./curl.js').then(({ openCurl }) => openCurl(context))
        : resolveTarget(targetOptions(context)).then(
            async (target) => (await connect(target)).client,
          );
      return client;
    },
    bulk: async (options) => {
      if (settings.curl) throw (await import('./curl.js')).tooMany();
      const opened = await connectForMany({ ...options, many: true });
      const { client: many, account } = opened;
      return { client: many, account, quota: () => opened.reached()?.quota };
    },
    live: async ({ endless = false, ...options }) => {
      const { client: one, label, quota } = await connectForMany(options);
      endsBySignal = endless;
      return { client: one, label, quota };
    },
    clientAt: async (baseUrl, key, label) => {
      const target = { kind: 'remote', label, baseUrl, key, keySource: 'the login' } as const;
      return (await connect(target)).client;
    },
    reached: () => connection?.reached(),
    settled: async () => connection?.settled(),
    throwIfAborted: () => {
      if (connection && !endsBySignal) context.signal.throwIfAborted();
    },
  };
}
