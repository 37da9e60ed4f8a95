import type { Loss, Outcome, Wait } from '../api/outcome.js';
import type { Clock } from '../clock.js';
import { type AdmitOptions, admit, canWait, type Leave } from '../quota/admit.js';
import { observeSupport } from '../quota/idempotency-support.js';
import { findSpanEnd, type Permit } from '../quota/quota-state.js';
import type { QuotaStore } from '../quota/quota-store.js';
import { parseRateLimitInfo } from '../quota/rate-limit-info.js';
import { settle } from '../quota/settle.js';
import type { Middleware } from './middleware.js';
import { lostOutcome } from './outcome.js';

/** Called when a wait begins. The returned function is called when it ends. */
export type OnWait = (wait: Wait) => () => void | Promise<void>;

export interface QuotaOptions {
  readonly store: QuotaStore;
  readonly clock: Clock;
  /** Returns a number from 0 up to 1. */
  readonly random: () => number;
  readonly createId: () => string;
  /** The path of the base URL: `/v1`. */
  readonly basePath: string;
  /** How long an attempt may take, in milliseconds. */
  readonly timeoutMs: number;
  /** The longest wait. */
  readonly maxWaitMs: number;
  readonly onWait: OnWait;
  /** Called after each response that reports a quota. */
  readonly onQuota: () => void;
}

/** How the quota treats one request. */
export interface QuotaPolicy {
  /** The request is sent at most once: it is not retried, and waits only for a probe in flight. */
  readonly once?: boolean | undefined;
  readonly leave?: Leave | undefined;
}

/**
 * Lets requests pass only if the quota of the account allows it, in every process that shares the store, and records what
 * their responses say about it. A request that would wait too long is held back.
 */
export function withQuota(options: QuotaOptions, policy: QuotaPolicy): Middleware {
  const { store, clock, basePath, onQuota } = options;
  return (next) => async (request, signal) => {
    const startedAt = clock.now();
    const { permit, lost } = await waitForPermit(options, policy, signal).catch((error): Admission => {
      if (!signal.aborted) throw error;
      return { lost: canceled };
    });
    const sentAt = clock.now();
    const waitedMs = sentAt - startedAt;
    if (!permit) return { ...lostOutcome(request, lost, { sent: false }), waitedMs };
    let outcome: Outcome | undefined;
    try {
      outcome = signal.aborted ? lostOutcome(request, canceled, { sent: false }) : await next(request, signal);
    } finally {
      // An error that is thrown is local: nothing was sent.
      if (!outcome?.response) {
        void store.update((state) => [settle(state, permit, outcome?.sent ? 'lost' : 'unsent'), undefined]);
      }
    }
    const { response } = outcome;
    if (!response) return { ...outcome, waitedMs };
    const now = clock.now();
    const info = parseRateLimitInfo(response, sentAt, now);
    const recorded = store.update((state) => {
      const after = observeSupport(settle(state, permit, info), request, response, { basePath, now });
      if (info.isRateLimited || Object.keys(info.quota).length > 0) onQuota();
      return [after, after.block && findSpanEnd(after.block, now)];
    });
    // Waits for the store only if requests are blocked from now on.
    const blockedUntil = info.isRateLimited ? await recorded : undefined;
    return { ...outcome, waitedMs, retryAt: blockedUntil ?? info.retryAt };
  };
}

const canceled: Loss = { kind: 'canceled' };

/** The time within which an aborted request settles. In milliseconds. */
const graceMs = 1_000;

type Admission =
  | { readonly permit: Permit; readonly lost?: undefined }
  | { readonly lost: Loss; readonly permit?: undefined };

/** Waits until a request may be sent, unless that takes too long. Throws the signal's reason if aborted. */
async function waitForPermit(options: QuotaOptions, policy: QuotaPolicy, signal: AbortSignal): Promise<Admission> {
  const { store, clock, random, createId, timeoutMs } = options;
  const { leave, once } = policy;
  const maxWaitMs = once ? 0 : options.maxWaitMs;
  const admission: AdmitOptions = { leave, jitter: random(), id: createId(), durationMs: timeoutMs + graceMs };
  for (;;) {
    signal.throwIfAborted();
    const { permit, wait } = await store.update((state) => {
      const admitted = admit(state, clock.now(), admission);
      return [admitted.state, admitted];
    }, signal);
    if (permit) return { permit };
    if (!canWait(wait.reason, wait.endsAt - clock.now(), maxWaitMs)) return { lost: { kind: 'held-back', wait } };
    const stop = options.onWait(wait);
    try {
      let next: Wait | undefined = wait;
      while (next && isSameWait(next, wait)) {
        await clock.sleep(choosePollMs(next, options), signal);
        next = admit(await store.read(), clock.now(), admission).wait;
      }
    } finally {
      await stop();
    }
  }
}

function isSameWait(one: Wait, { reason, endsAt }: Wait): boolean {
  return one.reason === reason && (reason === 'probe-in-flight' || one.endsAt === endsAt);
}

/** Returns a short time: the machine may be suspended, and another process may change the state. */
function choosePollMs({ reason, endsAt, marginMs }: Wait, { clock, random }: QuotaOptions): number {
  if (reason === 'probe-in-flight') return 20 + 40 * random();
  return Math.min(Math.max(0, endsAt + marginMs - clock.now()) + 1, 1_000);
}
