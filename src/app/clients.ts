import { resolveTarget, type Target, type TargetOptions } from '../config/target.js';
import type { Closers } from './closers.js';
import type { Connection } from './connect.js';
import type { Context } from './context.js';
import type { Surroundings } from './runtime.js';
import type { ConnectionOptions } from './waits.js';

/** The clients of one command, each opened on first use. */
export interface Clients extends Pick<Context, 'client' | 'bulk' | 'live' | 'clientAt'> {
  /** Returns the service that was reached last and its quota. */
  reached: Connection['reached'];
  /** Resolves once the quota of every response is saved. */
  settled(): Promise<void>;
  /** Throws if a signal arrived while it was deferred until the ledger was written. */
  throwIfAborted(): void;
}

/** Returns functions that open clients; what each opens is added to `closers`. */
export function openClients(
  choices: () => TargetOptions,
  surroundings: Surroundings,
  closers: Pick<Closers, 'add'>,
): Clients {
  const { world, settings } = surroundings;
  let connection: Connection | undefined;
  let client: ReturnType<Context['client']> | undefined;
  let endsOnSignal = false;
  const connect = async (target: Target, options?: ConnectionOptions) => {
    const { openConnection } = await import('./connect.js');
    const opened = await openConnection(target, surroundings, options);
    connection = opened;
    closers.add(opened.close);
    return opened;
  };
  /** Defers signals until the command is closed, so that they never interrupt it between two requests. */
  const connectForMany = async (options: ConnectionOptions) => {
    const opened = await connect(await resolveTarget(choices()), options);
    const release = world.deferSignals();
    closers.add(async () => release());
    return opened;
  };
  return {
    client: () => {
      client ??= settings.curl
        ? import('./curl.js').then(({ openCurl }) => openCurl(choices(), surroundings))
        : resolveTarget(choices()).then(async (target) => (await connect(target)).client);
      return client;
    },
    bulk: async (options) => {
      if (settings.curl) throw (await import('./curl.js')).tooMany();
      const opened = await connectForMany({ ...options, isImport: true });
      const { client: many, account } = opened;
      return { client: many, account, quota: () => opened.reached()?.quota };
    },
    live: async ({ endsOnSignal: isNormalEnd = false, ...options }) => {
      const { client: one, label, quota } = await connectForMany(options);
      endsOnSignal = isNormalEnd;
      return { client: one, label, quota };
    },
    clientAt: async (baseUrl, key, label) => {
      const target = { kind: 'remote', label, baseUrl, key, keySource: 'the login' } as const;
      return (await connect(target)).client;
    },
    reached: () => connection?.reached(),
    settled: async () => connection?.settled(),
    throwIfAborted: () => {
      if (connection && !endsOnSignal) world.signal.throwIfAborted();
    },
  };
}
