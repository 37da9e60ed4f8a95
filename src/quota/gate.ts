import { type Clock, minuteMs } from '../clock.js';
import { Failure, type Hint, type HintParts, nothingSent } from '../failure.js';
import { formatCount, formatDuration } from '../format/duration.js';
import {
  addReservation,
  applyResponse,
  countAsSent,
  findObstacle,
  type Obstacle,
  removeExpired,
  removeReservation,
} from './gate-rules.js';
import { applyObservedSupport, type ObservedSupport } from './idempotency-support.js';
import { mayWait } from './may-wait.js';
import { findSpanEnd, type QuotaState, type QuotaStore, type Reservation } from './quota-state.js';
import type { RateLimitInfo } from './rate-limit-info.js';

export interface GateOptions {
  readonly store: QuotaStore;
  readonly clock: Clock;
  /** The name of the service: the profile or the host. */
  readonly label: string;
  /** Returns a number from 0 up to 1. */
  readonly random: () => number;
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
  },
) => Hint | undefined;

/** The client-side rate limiter that all requests of an account pass, in every process that shares the quota store. */
export interface Gate {
  /**
   * Waits until a request may be sent, and reserves it. Throws a `Failure` (rate-limited) if the wait exceeds the
   * maximum, and the signal's reason if aborted. The request must end within `maxDurationMs`. With `noRetry` it waits only
   * for a probe in flight.
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
  const { store, clock } = options;
  const inspect = (state: QuotaState, jitter: number) => {
    const now = clock.now();
    const current = removeExpired(state, now, store.hasEnded);
    return { current, obstacle: findObstacle(current, now, jitter) };
  };
  const tryEnter = (jitter: number, maxDurationMs: number, signal: AbortSignal) =>
    store.update((state): readonly [QuotaState, Obstacle | Reservation] => {
      const { current, obstacle } = inspect(state, jitter);
      if (obstacle) return [current, obstacle];
      const reservation = createReservation(current, store.owner, clock.now(), maxDurationMs);
      return [addReservation(current, reservation), reservation];
    }, signal);
  return {
    enter: async (signal, maxDurationMs, noRetry = false) => {
      const jitter = options.random();
      for (;;) {
        signal.throwIfAborted();
        const entered = await tryEnter(jitter, maxDurationMs, signal);
        if ('id' in entered) {
          const permit = createPermit(entered, options);
          if (!signal.aborted) return permit;
          await permit.recordNoResponse({ wasSent: false });
          throw signal.reason;
        }
        checkWait(entered, noRetry ? { ...options, maxWaitMs: 0 } : options, noRetry);
        const onWaitEnd = options.onWait(entered);
        const startedAt = clock.now();
        await waitWhile(entered, signal, options, async () => {
          const isTimedOut = clock.now() >= startedAt + maxDurationMs;
          if (entered.reason === 'probe-in-flight' && isTimedOut) throw probeTimeout();
          // A read without the lock.
          return inspect(await store.find(), jitter).obstacle;
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
    // Short sleeps: the machine may be suspended, and another process may change the state.
    await clock.sleep(isProbe ? 20 + 40 * random() : Math.min(leftMs + 1, 1_000), signal);
    const current = await findCurrent();
    if (current?.reason !== reason || (!isProbe && current.endsAt !== endsAt)) return;
  }
}

let reservationCount = 0;

function createReservation(
  { rateLimitedStreak }: QuotaState,
  owner: string,
  now: number,
  maxDurationMs: number,
): Reservation {
  reservationCount += 1;
  const endsAt = Math.ceil(now + maxDurationMs);
  return { id: `${owner} ${reservationCount}`, owner, startedAt: now, endsAt, rateLimitedStreak };
}

function createPermit(reservation: Reservation, { store }: GateOptions): Permit {
  return {
    recordResponse: (info, observedSupport) =>
      store.update((state) => {
        const after = applyResponse(applyObservedSupport(state, observedSupport), reservation, info);
        const endsAt = after.block ? findSpanEnd(after.block, info.receivedAt) : 0;
        return [after, endsAt > info.receivedAt ? endsAt : undefined];
      }),
    recordNoResponse: ({ wasSent }) =>
      store.update((state) => {
        const settle = wasSent ? countAsSent : removeReservation;
        return [settle(state, reservation), undefined];
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

function checkWait(obstacle: Obstacle, { clock, label, limitHint, maxWaitMs }: GateOptions, noRetry: boolean): void {
  const { reason, endsAt } = obstacle;
  const waitMs = endsAt - clock.now();
  if (mayWait(reason, waitMs, maxWaitMs)) return;
  throw new Failure('rate-limited', {
    code: 'rate_limited',
    message: describeObstacle(obstacle, label),
    outcome: nothingSent,
    hint: limitHint(waitMs, { noRetry }),
    retryAt: endsAt,
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
  readonly maxWaitMs: number;
}

/** Returns the hint for an exhausted quota: how to get a higher limit, and the `--max-wait` that suffices or when to retry. */
export function createLimitHint({ serviceHint, maxWaitMs }: LimitHintOptions): LimitHint {
  return (waitMs, { noRetry = false } = {}) => {
    const hints: HintParts[] = serviceHint ? [serviceHint] : [];
    if (noRetry && waitMs > 0) hints.push([`retry in ${formatDuration(waitMs)}`]);
    if (!noRetry && waitMs > maxWaitMs && waitMs <= maxSuggestedWaitMs) {
      // At least the length of a minute's window: a long list waits for several of them.
      const seconds = Math.ceil(Math.max(waitMs, minuteMs) / 1000);
      hints.push(['pass ', { words: ['--max-wait', String(seconds)], isAddition: true }, ' to wait']);
    }
    return hints.length > 0 ? hints.flatMap((hint, index) => (index > 0 ? [', or ', ...hint] : hint)) : undefined;
  };
}
