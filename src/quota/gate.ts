import { type Clock, minuteMs } from '../clock.js';
import { type Command, Failure, type Hint, type HintParts, nothingSent } from '../failure.js';
import { formatCount, formatDuration } from '../format/duration.js';
import { findDiagnosisObstacle } from './diagnosis.js';
import {
  addReservation,
  applyResponse,
  countAsSent,
  findObstacle,
  type Obstacle,
  releaseReservation,
  removeExpired,
} from './gate-rules.js';
import { applyObservedSupport, type ObservedSupport } from './idempotency-support.js';
import { findSpanEnd, type Ledger, type LedgerEntry, type Reservation } from './ledger.js';
import { mayWait } from './may-wait.js';
import type { RateLimitInfo } from './rate-limit-info.js';

export interface GateOptions {
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** The name of the service: the profile or the host. */
  readonly label: string;
  /** Returns a number from 0 up to 1. */
  readonly random: () => number;
  /** The requests of each window that are left for other commands. Default: 0. */
  readonly reserve?: number;
  /** The longest wait for one obstacle. */
  readonly maxWaitMs: number;
  readonly limitHint: LimitHint;
  /** Called when a wait begins. The returned function is called when it ends. */
  readonly onWait: (obstacle: Obstacle) => () => Promise<void>;
}

/** Returns the hint for a wait of so many milliseconds. */
export type LimitHint = (
  waitMs: number,
  options?: {
    /** The request never waits. */
    readonly noRetry?: boolean | undefined;
    /** The quota of the day is used up. */
    readonly isDayUsedUp?: boolean;
  },
) => Hint | undefined;

/** The client-side rate limiter that all requests of an account pass, in every process that shares the ledger. */
export interface Gate {
  /**
   * Waits until a request may be sent, and reserves it. Throws a `Failure` (rate-limited) if the wait exceeds the
   * maximum, and the signal's reason if aborted. The request must end within `maxDurationMs`. With `noRetry` it may be
   * sent although the quota is used up (see `findDiagnosisObstacle`), and waits only for a probe in flight.
   */
  enter(signal: AbortSignal, maxDurationMs: number, noRetry?: boolean): Promise<Permit>;
}

/** The permission to send one request. Call exactly one method after the request. */
export interface Permit {
  /** Resolves to the end of the block in milliseconds since the Unix epoch, or undefined if there is none. */
  recordResponse(info: RateLimitInfo, observedSupport?: ObservedSupport): Promise<number | undefined>;
  /** Records that no response arrived. `wasSent` is true if the request may have left. */
  recordNoResponse(attempt: { readonly wasSent: boolean }): Promise<void>;
}

export function openGate(options: GateOptions): Gate {
  const { ledger, clock } = options;
  const inspect = (entry: LedgerEntry, jitter: number, noRetry: boolean) => {
    const now = clock.now();
    const current = removeExpired(entry, now, ledger.hasEnded);
    const obstacle = findObstacle(current, now, jitter, options.reserve);
    const isBlocked = obstacle?.reason === 'block';
    return { current, isBlocked, obstacle: noRetry ? findDiagnosisObstacle(current, obstacle, now) : obstacle };
  };
  const tryEnter = (jitter: number, maxDurationMs: number, noRetry: boolean, signal: AbortSignal) =>
    ledger.update((entry): readonly [LedgerEntry, Obstacle | Reservation] => {
      const { current, isBlocked, obstacle } = inspect(entry, jitter, noRetry);
      if (obstacle) return [current, obstacle];
      const now = clock.now();
      const reservation = createReservation(current, ledger.owner, now, maxDurationMs);
      return [addReservation(isBlocked ? { ...current, diagnosedAt: now } : current, reservation), reservation];
    }, signal);
  return {
    enter: async (signal, maxDurationMs, noRetry = false) => {
      const jitter = options.random();
      for (;;) {
        signal.throwIfAborted();
        const entered = await tryEnter(jitter, maxDurationMs, noRetry, signal);
        if ('id' in entered) {
          const permit = createPermit(entered, options);
          if (!signal.aborted) return permit;
          await permit.recordNoResponse({ wasSent: false });
          throw signal.reason;
        }
        await checkWait(entered, noRetry ? { ...options, maxWaitMs: 0 } : options, noRetry);
        const onWaitEnd = options.onWait(entered);
        const startedAt = clock.now();
        await waitWhile(entered, signal, options, async () => {
          const isTimedOut = clock.now() >= startedAt + maxDurationMs;
          if (entered.reason === 'probe-in-flight' && isTimedOut) throw probeTimeout();
          // A read without the lock.
          return inspect(await ledger.find(), jitter, noRetry).obstacle;
        }).finally(onWaitEnd);
      }
    },
  };
}

/** Resolves when `findCurrent` returns another obstacle, or none. */
async function waitWhile(
  { reason, endsAt, marginMs }: Obstacle,
  signal: AbortSignal,
  { clock, random }: GateOptions,
  findCurrent: () => Promise<Obstacle | undefined>,
): Promise<void> {
  const isProbe = reason === 'probe-in-flight';
  for (;;) {
    const leftMs = Math.max(0, endsAt + marginMs - clock.now());
    // Short sleeps: the machine may be suspended, and another process may change the ledger.
    await clock.sleep(isProbe ? 20 + 40 * random() : Math.min(leftMs + 1, 1_000), signal);
    const current = await findCurrent();
    if (current?.reason !== reason || (!isProbe && current.endsAt !== endsAt)) return;
  }
}

let reservationCount = 0;

function createReservation(
  { rateLimitedStreak }: LedgerEntry,
  owner: string,
  now: number,
  maxDurationMs: number,
): Reservation {
  reservationCount += 1;
  const endsAt = Math.ceil(now + maxDurationMs);
  return { id: `${owner} ${reservationCount}`, owner, startedAt: now, endsAt, rateLimitedStreak };
}

function createPermit(reservation: Reservation, { ledger }: GateOptions): Permit {
  return {
    recordResponse: (info, observedSupport) =>
      ledger.update((entry) => {
        const after = applyResponse(applyObservedSupport(entry, observedSupport), reservation, info);
        const endsAt = after.block ? findSpanEnd(after.block, info.receivedAt) : 0;
        return [after, endsAt > info.receivedAt ? endsAt : undefined];
      }),
    recordNoResponse: ({ wasSent }) =>
      ledger.update((entry) => {
        const settle = wasSent ? countAsSent : releaseReservation;
        return [settle(entry, reservation), undefined];
      }),
  };
}

function probeTimeout(): Failure {
  return new Failure('network', {
    code: 'timeout',
    message: 'timed out waiting for another petstore process',
    outcome: nothingSent,
    hint: 'increase --timeout',
  });
}

async function checkWait(
  obstacle: Obstacle,
  { clock, label, limitHint, maxWaitMs, reserve = 0 }: GateOptions,
  noRetry: boolean,
): Promise<void> {
  const { reason, endsAt, reservedLimit, dayLimit, diagnosisAt = endsAt } = obstacle;
  const now = clock.now();
  const waitMs = endsAt - now;
  const retryAt = Math.min(endsAt, diagnosisAt);
  // Without a request above the reserve, waiting for the next window would never end.
  const isReserveTooLarge = reservedLimit !== undefined && reservedLimit <= reserve;
  if (!isReserveTooLarge && mayWait(reason, waitMs, maxWaitMs)) return;
  const reserves = reservedLimit === undefined ? undefined : await import('./reserve.js');
  reserves?.checkReserve([{ limit: reservedLimit ?? 0 }], reserve);
  throw new Failure('rate-limited', {
    code: 'rate_limited',
    message: reserves?.describeReserve(reserve) ?? describeObstacle(obstacle, label),
    outcome: nothingSent,
    hint: limitHint(retryAt - now, { noRetry, isDayUsedUp: dayLimit !== undefined }),
    retryAt,
  });
}

function describeObstacle({ reason, dayLimit }: Obstacle, label: string): string {
  if (dayLimit !== undefined) return `the day's quota of ${label} (${formatCount(dayLimit, 'request')}) is used up`;
  return reason === 'block' ? 'the service rate limited or banned this API key' : 'no requests are left in this window';
}

/** Waits of more than an hour are not worth waiting for. In milliseconds. */
const maxSuggestedWaitMs = 3_600_000;

export interface LimitHintOptions {
  /** How to get a higher limit from this service. */
  readonly serviceHint?: HintParts | undefined;
  /** The flags that select the service in another command. */
  readonly serviceFlags: readonly string[];
  readonly maxWaitMs: number;
}

/**
 * Returns the hint for an exhausted quota: how to get a higher limit or to use a raised one, and the `--max-wait` that
 * suffices or when to retry.
 */
export function createLimitHint({ serviceHint, serviceFlags, maxWaitMs }: LimitHintOptions): LimitHint {
  // Only a request shows that the service has raised a limit.
  const doctor: Command = { words: ['doctor', ...serviceFlags], isShownOnly: true };
  const raisedLimit: HintParts = ['if the limit was raised, run ', doctor];
  return (waitMs, { noRetry = false, isDayUsedUp = false } = {}) => {
    const hints: HintParts[] = [];
    if (serviceHint) hints.push(serviceHint);
    else if (isDayUsedUp && !noRetry) hints.push(raisedLimit);
    if (noRetry && waitMs > 0) {
      const reason = isDayUsedUp ? ' to check whether the limit was raised' : '';
      hints.push([`retry in ${formatDuration(waitMs)}${reason}`]);
    }
    if (!noRetry && waitMs > maxWaitMs && waitMs <= maxSuggestedWaitMs) {
      // At least the length of a minute's window: a long list waits for several of them.
      const seconds = Math.ceil(Math.max(waitMs, minuteMs) / 1000);
      hints.push(['pass ', { words: ['--max-wait', String(seconds)], isAddition: true }, ' to wait']);
    }
    return hints.length > 0 ? hints.flatMap((hint, index) => (index > 0 ? [', or ', ...hint] : hint)) : undefined;
  };
}
