import { resolveTarget, type Target, type TargetOptions } from '../config/target.js';
import type { Closers } from './closers.js';
import type { Connection } from './connect.js';
import type { Context } from './context.js';
import type { Surroundings } from './runtime.js';
import type { Manner } from './waits.js';

/** The clients of one command, each opened when it is first asked for. */
export interface Clients extends Pick<Context, 'client' | 'bulk' | 'live' | 'clientAt'> {
  /** The service that was reached last, and what it said of the quota. */
  reached: Connection['reached'];
  /** Resolves once what the answers told of the quota is kept. */
  settled(): Promise<void>;
  /** Throws what a signal aborts with, where one came while the ledger was written, which waited for that. */
  throwIfAborted(): void;
}

/** Opens no client yet; what must be closed after each is added to `closers`. */
export function openClients(
  choices: () => TargetOptions,
  surroundings: Surroundings,
  closers: Pick<Closers, 'add'>,
): Clients {
  const { world, settings } = surroundings;
  let connection: Connection | undefined;
  let client: ReturnType<Context['client']> | undefined;
  let endsBySignal = false;
  const connect = async (target: Target, manner?: Manner) => {
    const { openConnection } = await import('./connect.js');
    const opened = await openConnection(target, surroundings, manner);
    connection = opened;
    closers.add(opened.close);
    return opened;
  };
  /** For many requests: a signal ends them in order, also between two. */
  const connectForMany = async (manner: Manner) => {
    const opened = await connect(await resolveTarget(choices()), manner);
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
      if (connection && !endsBySignal) world.signal.throwIfAborted();
    },
  };
}
