import { laterQuota, type Quota } from '../api/rate-limit-headers.js';
import { type Client, createClient } from '../client/client.js';
import {
  compose,
  withDeferredSignals,
  withTrace,
  withWaitIndicator,
} from '../client/middleware.js';
import { withRetries } from '../client/with-retries.js';
import type { Clock } from '../clock.js';
import { createLocks } from '../config/lock.js';
import type { Target } from '../config/target.js';
import { accountOf, openLedger } from '../quota/file-ledger.js';
import type { FleetLedger } from '../quota/fleet-ledger.js';
import { openGate } from '../quota/gate.js';
import type { Ledger, LedgerEntry } from '../quota/ledger.js';
import { createLimitHint } from '../quota/limit-hint.js';
import type { Surroundings, World } from './runtime.js';
import { flagsTo } from './same-service-flags.js';
import { openTransport } from './transport.js';
import { type ConnectionOptions, openWaits } from './waits.js';

/** An open connection to one service with one API key. */
export interface Connection {
  readonly client: Client;
  readonly label: string;
  /** Returns the quota that the service reported last; nothing before its first response. */
  reached(): { label: string; quota: Quota } | undefined;
  /** A digest of origin and API key. */
  readonly account: string;
  /** Returns the quota in the ledger, which other processes update too. */
  quota(): Promise<LedgerEntry | undefined>;
  /** Resolves once the quota of every response is saved. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** The connection of an import. */
export interface ImportConnection extends Pick<Connection, 'client' | 'account'> {
  /** Returns the quota that the service reported last. */
  readonly quota: () => Quota | undefined;
}

/** The connection of a command that polls or waits for the user. */
export type LongLivedConnection = Pick<Connection, 'client' | 'label' | 'quota'>;

/** Opens the transport to a target and puts middleware and a client in front of it. */
export async function openConnection(
  target: Target,
  surroundings: Surroundings,
  connectionOptions: ConnectionOptions = {},
): Promise<Connection> {
  const { world, paths, settings } = surroundings;
  const { clock, random, redactor } = world;
  const { isImport = false, onDiagnostic: warn = surroundings.warning } = connectionOptions;
  const signal = connectionOptions.signal
    ? AbortSignal.any([world.signal, connectionOptions.signal])
    : world.signal;
  const local = openLedger(paths.quota, createLocks(world), (error) =>
    warn(`the quota cannot be kept in ${paths.quota}: ${(error as Error).message}`),
  );
  const fleet = await openFleet(target, local, surroundings);
  const transport = await openTransport(target, surroundings, isImport).catch((error) => {
    fleet?.close();
    throw error;
  });
  redactor.add(transport.key);
  const quota = rememberQuota(clock);
  const waits = openWaits(transport, surroundings, connectionOptions);
  const limitHint = createLimitHint(transport.limitHint, settings.maxWait);
  const shared = deferSignalsOnUpdate(fleet ?? local, world.deferSignals);
  const lease = isImport && (await import('../quota/lease.js')).leaseLedger(shared, clock);
  const account = accountOf(transport.origin, transport.key);
  const gate = openGate({
    ledger: lease || shared,
    account,
    clock,
    random,
    maxWait: settings.maxWait,
    limitHint,
    onWait: waits.onGateWait,
    paced: isImport,
  });
  // In order: the first sees a request first and its response last.
  const middleware = [
    // Outermost, so that a canceled command learns the outcome of its request, retries included.
    withDeferredSignals(world.deferSignals),
    // Before each attempt it passes the quota gate. It puts `withDeadline` around each attempt itself, since all
    // attempts share one timeout that excludes the waits between them.
    withRetries({
      gate,
      clock,
      random,
      timeoutMs: settings.timeout,
      maxWaitMs: settings.maxWait,
      finishInFlight: isImport,
      onRetry: waits.onRetry,
      onQuota: quota.update,
    }),
    // Innermost, so that each attempt is shown, and no wait for the quota.
    settings.verbose ? withTrace(waits.trace) : withWaitIndicator(waits.showWaiting),
  ];
  return {
    client: createClient({
      endpoint: {
        origin: transport.origin,
        basePath: transport.path,
        authorization: `Bearer ${transport.key.reveal()}`,
        userAgent: `petstore-cli/${world.version}`,
      },
      send: compose(middleware, transport.send),
      clock,
      signal,
      keySource: transport.keySource,
      serviceFlags: () => flagsTo(transport.origin + transport.path, { settings, env: world.env }),
      limitHint,
      onSchemaViolation: warn,
    }),
    reached: () => {
      const last = quota.last();
      return last && { label: transport.label, quota: last };
    },
    label: transport.label,
    account,
    quota: async () => {
      await gate.settled();
      return shared.find(account);
    },
    settled: gate.settled,
    close: async () => {
      await gate.settled();
      if (lease) await lease.end();
      fleet?.close();
      await transport.close();
    },
  };
}

/** Keeps the latest quota that the service reported, until it is outdated. */
function rememberQuota(clock: Clock) {
  let quota: Quota | undefined;
  let blockedUntil: number | undefined;
  return {
    update: (latest: Quota, until?: number) => {
      quota = laterQuota(quota, latest);
      blockedUntil = until;
    },
    last: () => {
      // What remains after a block is unknown.
      const isStale = blockedUntil !== undefined && blockedUntil <= clock.now();
      return isStale ? undefined : quota;
    },
  };
}

/** Opens the ledger that machines share, if one is set. The quota of the sandbox is always local. */
async function openFleet(
  target: Target,
  local: Ledger,
  surroundings: Surroundings,
): Promise<FleetLedger | undefined> {
  if (!surroundings.settings.ledger || target.kind === 'sandbox') return undefined;
  const fleet = (await import('./fleet.js')).openFleet(local, surroundings);
  fleet.prepare(accountOf(target.baseUrl.origin, target.key));
  return fleet;
}

/** Postpones signals until the ledger is written and its lock is released. */
function deferSignalsOnUpdate(ledger: Ledger, deferSignals: World['deferSignals']): Ledger {
  return {
    ...ledger,
    update: async (account, edit) => {
      const release = deferSignals();
      try {
        return await ledger.update(account, edit);
      } finally {
        release();
      }
    },
  };
}
