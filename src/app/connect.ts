import type { Transport } from '../api/http.js';
import { laterQuota, type Quota } from '../api/rate-limit-headers.js';
import { createClient } from '../client/client.js';
import type { Client } from '../client/client-types.js';
import { withAttempts } from '../client/with-retries.js';
import { withTrace } from '../client/with-trace.js';
import type { Clock } from '../clock.js';
import { createLocks } from '../config/lock.js';
import type { Target } from '../config/target.js';
import { accountOf, openLedger } from '../quota/file-ledger.js';
import type { FleetLedger } from '../quota/fleet-ledger.js';
import { openGate } from '../quota/gate.js';
import type { Ledger, LedgerEntry } from '../quota/ledger.js';
import { createLimitHint } from '../quota/limit-hint.js';
import type { AppContext } from './context.js';
import type { Runtime } from './runtime.js';
import { flagsTo } from './same-service-flags.js';
import { openTransport } from './transport.js';
import { type ConnectionOptions, openWaits, withWait } from './waits.js';

/** A client with what hangs on it. */
export interface Connection {
  readonly client: Client;
  readonly label: string;
  /** What the service last said of the quota; nothing before it has answered. */
  reached(): { label: string; quota: Quota } | undefined;
  /** Origin and key, digested. */
  readonly account: string;
  /** What is kept of the quota, whichever process learnt it. */
  quota(): Promise<LedgerEntry | undefined>;
  /** Resolves once what the answers told of the quota is kept. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Puts a client and its coats before the target's transport. */
export async function openConnection(
  target: Target,
  context: AppContext,
  options: ConnectionOptions = {},
): Promise<Connection> {
  const { runtime, clock, settings } = context;
  const { quota: quotaDirectory } = context.config.paths;
  const { random, redactor, terminal, deferSignals } = runtime;
  const { onWait, many = false, tell: warn = context.terminal.warn } = options;
  const signal = options.signal
    ? AbortSignal.any([context.signal, options.signal])
    : context.signal;
  const local = openLedger(quotaDirectory, createLocks(runtime), (error) =>
    warn(`the quota cannot be kept in ${quotaDirectory}: ${(error as Error).message}`),
  );
  const fleet = await openFleet(target, local, context);
  const transport = await openTransport(target, context, many).catch((error) => {
    fleet?.close();
    throw error;
  });
  redactor.add(transport.key);
  const quota = rememberQuota(clock);
  const waits = openWaits(transport, context, options);
  const limitHint = createLimitHint(transport.limitHint, settings.maxWaitMs);
  const shared = withSignalsHeld(fleet ?? local, deferSignals);
  const lease = many && (await import('../quota/lease.js')).leaseLedger(shared, clock);
  const account = accountOf(transport.origin, transport.key);
  const gate = openGate({
    ledger: lease || shared,
    account,
    clock,
    random,
    maxWait: settings.maxWaitMs,
    limitHint,
    onWait: waits.forGate,
    paced: many,
  });
  const shown = settings.verbose
    ? withTrace(transport.send, waits.trace)
    : withWait(transport.send, settings.quiet || onWait !== undefined, terminal);
  const send = withAttempts(shown, {
    gate,
    clock,
    random,
    timeout: settings.timeoutMs,
    maxWait: settings.maxWaitMs,
    patient: many,
    onRetry: waits.forRetry,
    onQuota: quota.learn,
  });
  return {
    client: createClient({
      destination: {
        origin: transport.origin,
        path: transport.path,
        authorization: `Bearer ${transport.key.reveal()}`,
        userAgent: `petstore-cli/${runtime.version}`,
      },
      send: withHold(send, deferSignals),
      clock,
      signal,
      keySource: transport.keySource,
      sameStore: () => flagsTo(transport.origin + transport.path, { settings, env: runtime.env }),
      limitHint,
      onOddity: warn,
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

/** What the service last said of the quota, as long as that can still be so. */
function rememberQuota(clock: Clock) {
  let quota: Quota | undefined;
  let blockedUntil: number | undefined;
  return {
    learn: (told: Quota, until?: number) => {
      quota = laterQuota(quota, told);
      blockedUntil = until;
    },
    last: () => {
      // Once a block is over, nobody knows what is left.
      const isStale = blockedUntil !== undefined && blockedUntil <= clock.now();
      return isStale ? undefined : quota;
    },
  };
}

/** The ledger that machines share, where there is one; what the sandbox allows is this machine's own. */
async function openFleet(
  target: Target,
  local: Ledger,
  context: AppContext,
): Promise<FleetLedger | undefined> {
  if (!context.settings.ledger || target.kind === 'sandbox') return undefined;
  const fleet = (await import('./fleet.js')).openFleet(local, context);
  fleet.prepare(accountOf(target.baseUrl.origin, target.key));
  return fleet;
}

/** While a request is under way a signal ends it in order, so that what became of it can be told. */
function withHold(send: Transport, hold: Runtime['deferSignals']): Transport {
  return (request, signal) => held(hold, () => send(request, signal));
}

/** A signal waits until the ledger is written and its lock given back. */
function withSignalsHeld(ledger: Ledger, hold: Runtime['deferSignals']): Ledger {
  return {
    ...ledger,
    update: (account, edit) => held(hold, () => ledger.update(account, edit)),
  };
}

async function held<Result>(
  hold: Runtime['deferSignals'],
  work: () => Promise<Result>,
): Promise<Result> {
  const release = hold();
  try {
    return await work();
  } finally {
    release();
  }
}
