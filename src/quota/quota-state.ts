import type { Quota } from '../api/rate-limit-headers.js';

/** A span of time in milliseconds since the Unix epoch, by our clock. */
export interface TimeSpan {
  readonly startedAt: number;
  readonly endsAt: number;
}

/** A rate-limit window. It starts when the service reported it, and ends when it resets. */
export interface RateLimitWindow extends TimeSpan {
  readonly limit: number;
  /** The lowest count of remaining requests that the service reported in this window, less those sent since. */
  readonly remaining: number;
  /** How much later than `endsAt` the window may reset, since clocks differ. In milliseconds. */
  readonly clockUncertaintyMs: number;
}

/** A request that may be in flight. It is counted before it is sent, and expires at `endsAt`. */
export interface Reservation extends TimeSpan {
  readonly id: string;
  /** The name of the process that sends the request. */
  readonly owner: string;
  /** The state's `rateLimitedStreak` when the request was sent. */
  readonly rateLimitedStreak: number;
}

/** A time in which no request is sent, since the service rate limited or banned the API key. */
export interface RateLimitBlock extends TimeSpan {
  /** How much later than `endsAt` the block may end, since clocks differ. In milliseconds. */
  readonly clockUncertaintyMs: number;
  /** The maximum jitter added to a wait, so that waiting processes do not all send at once. In milliseconds. */
  readonly maxJitterMs: number;
}

/**
 * Proof that a service honors `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07): it carries out only one
 * of several requests with the same key.
 */
export interface IdempotencySupport {
  /** The path of the base URL that proved it: `/v1`. */
  readonly basePath: string;
  /** Milliseconds since the Unix epoch. */
  readonly seenAt: number;
  /** How long the service stores a key. */
  readonly lifetimeMs: number;
}

/** The quota state of an account: one origin and API key. */
export interface QuotaState {
  /** The quota in the latest response, less the requests without a response since. */
  readonly quota: Quota;
  /** The time of that response, or 0. */
  readonly seenAt: number;
  readonly windows: readonly RateLimitWindow[];
  readonly reservations: readonly Reservation[];
  readonly block?: RateLimitBlock;
  readonly rateLimitedStreak: number;
  /** True if the service responds without reporting a window. */
  readonly noQuotaHeaders: boolean;
  readonly idempotency?: IdempotencySupport | undefined;
}

/** Returns the changed state, and a result for the caller of `update`. */
type QuotaEdit<Result> = (state: QuotaState) => readonly [state: QuotaState, result: Result];

/** The quota state of one account, shared by the processes of a user or of several machines. */
export interface QuotaStore {
  /** The name of this process, for reservations. */
  readonly owner: string;
  /** Returns true if the named process is known to have ended. */
  hasEnded(owner: string): boolean;
  /** Returns an empty state if none is stored. */
  find(): Promise<QuotaState>;
  /**
   * Replaces the state atomically. `edit` runs again if another process changed the state meanwhile. If the state
   * cannot be stored, this process keeps it in memory. Rejects only with the reason of `signal`, which may end a wait
   * for other processes. The state is then unchanged.
   */
  update<Result>(edit: QuotaEdit<Result>, signal?: AbortSignal): Promise<Result>;
  /** Resolves after every update is stored. */
  flush(): Promise<void>;
}

/** The result of checking the server of a quota store. */
export interface QuotaStoreHealth {
  /** The URL without username and password. */
  readonly endpoint: string;
  readonly responseMs?: number;
  /** Why the server cannot be used. */
  readonly problem?: string;
}

export const emptyQuotaState: QuotaState = {
  quota: {},
  seenAt: 0,
  windows: [],
  reservations: [],
  rateLimitedStreak: 0,
  noQuotaHeaders: false,
};

/** Returns when a span ends. If the clock was set back to before its start, its full length starts now. */
export function findSpanEnd({ startedAt, endsAt }: TimeSpan, now: number): number {
  return now < startedAt ? now + endsAt - startedAt : endsAt;
}

/** Resets are reported in whole seconds, and clocks drift. In milliseconds. */
export const resetToleranceMs = 2_000;

export function endsWithin(a: TimeSpan, b: TimeSpan, toleranceMs: number): boolean {
  return Math.abs(a.endsAt - b.endsAt) <= toleranceMs;
}

/** Returns until when no request may be sent, or undefined if requests may be sent now. */
export function findPauseEnd({ block, windows }: QuotaState, now: number): number | undefined {
  const exhausted = windows.filter(({ remaining }) => remaining <= 0);
  const spans: readonly TimeSpan[] = [...exhausted, ...(block ? [block] : [])];
  const endsAt = Math.max(0, ...spans.map((span) => findSpanEnd(span, now)));
  return endsAt > now ? endsAt : undefined;
}

/** Merges two states of one account. The reservations are those of the newer state. */
export function mergeQuotaStates(a: QuotaState, b: QuotaState, now: number): QuotaState {
  const [newer, older] = b.seenAt >= a.seenAt ? [b, a] : [a, b];
  const added = older.windows.filter(
    (one) => findSpanEnd(one, now) > now && !newer.windows.some(({ limit }) => limit === one.limit),
  );
  const windows = newer.windows.map((one) => {
    const same = older.windows.find((other) => other.limit === one.limit && other.endsAt === one.endsAt);
    return same ? mergeWindows(same, one) : one;
  });
  const olderBlock = older.block && findSpanEnd(older.block, now) > now ? older.block : undefined;
  const block = pickLaterBlock(newer.block, olderBlock, now);
  return { ...newer, windows: [...windows, ...added], ...(block && { block }) };
}

/** Returns the later report of a window with the lower remaining count of both. */
export function mergeWindows(known: RateLimitWindow, reported: RateLimitWindow): RateLimitWindow {
  const uncertainties = [known, reported].map(({ clockUncertaintyMs }) => clockUncertaintyMs);
  return {
    ...reported,
    remaining: Math.min(known.remaining, reported.remaining),
    ...(known.endsAt === reported.endsAt && { clockUncertaintyMs: Math.min(...uncertainties) }),
  };
}

export function pickLaterBlock(
  a: RateLimitBlock | undefined,
  b: RateLimitBlock | undefined,
  now: number,
): RateLimitBlock | undefined {
  if (!a || !b) return a ?? b;
  return findSpanEnd(a, now) > findSpanEnd(b, now) ? a : b;
}

/** Returns the state with only the reservations that match. */
export function filterReservations(state: QuotaState, matches: (reservation: Reservation) => boolean): QuotaState {
  return { ...state, reservations: state.reservations.filter(matches) };
}

/** Merges `carried` into a state. The reservations of `owner` are those of `carried`. */
export function mergeReservations(carried: QuotaState, state: QuotaState, owner: string, now: number): QuotaState {
  const own = carried.reservations.filter((one) => one.owner === owner);
  const others = state.reservations.filter((one) => one.owner !== owner);
  return { ...mergeQuotaStates(state, carried, now), reservations: [...others, ...own] };
}

/** Postpones signals until the state is written and its lock is released. */
export function deferSignalsOnUpdate(store: QuotaStore, deferSignals: () => () => void): QuotaStore {
  return {
    ...store,
    update: async (edit, signal) => {
      const release = deferSignals();
      try {
        return await store.update(edit, signal);
      } finally {
        release();
      }
    },
  };
}
