import type { HttpRequest } from '../api/http.js';
import type { Outcome, ResponseHead, Transport } from '../api/outcome.js';
import type { Clock } from '../clock.js';
import { Failure, nothingSent } from '../failure.js';
import { formatCount } from '../format/duration.js';
import { type AdmitOptions, admit, type Leave, type Wait } from '../quota/admit.js';
import { observeSupport } from '../quota/idempotency-support.js';
import { findSpanEnd, type Permit, type QuotaState } from '../quota/quota-state.js';
import type { QuotaStore } from '../quota/quota-store.js';
import { parseRateLimitInfo, type RateLimitInfo } from '../quota/rate-limit-info.js';
import { settle } from '../quota/settle.js';
import { type LimitHint, mayWait } from './limit-hint.js';
import type { Middleware } from './middleware.js';
import { unsentOutcome } from './outcome.js';

/** Called when a wait begins. The returned function is called when it ends. */
export type OnWait = (wait: Wait) => () => void | Promise<void>;

export interface QuotaOptions {
  readonly store: QuotaStore;
  readonly clock: Clock;
  /** Returns a number from 0 up to 1. */
  readonly random: () => number;
  readonly createId: () => string;
  /** The name of the service: the profile or the host. */
  readonly label: string;
  /** The path of the base URL: `/v1`. */
  readonly basePath: string;
  /** How long an attempt may take, in milliseconds. */
  readonly timeoutMs: number;
  /** The longest wait. */
  readonly maxWaitMs: number;
  readonly limitHint: LimitHint;
  readonly onWait: OnWait;
  /** Receives the state after each response that reports a quota. */
  readonly onQuota: (state: QuotaState) => void;
}

/** How the quota treats one request. */
export interface QuotaPolicy {
  /** The request waits only for a probe in flight. */
  readonly once?: boolean | undefined;
  /** True if the API spec has no such operation. The service may then report the quota of the client's address. */
  readonly isOutsideSpec?: boolean | undefined;
  readonly leave?: Leave | undefined;
  /** Replaces the one of the options. */
  readonly onWait?: OnWait | undefined;
}

/**
 * Lets requests pass only if the quota of the account allows it, in every process that shares the store, and records what
 * their responses say about it. The outcome of a request that would wait too long is a `Failure` (rate-limited).
 */
export function withQuota(options: QuotaOptions, policy: QuotaPolicy): Middleware {
  const { store, clock } = options;
  return (next) => async (request, signal) => {
    const startedAt = clock.now();
    const entered = await enter(options, policy, signal).catch((error: Error) => {
      if (error instanceof Failure || signal.aborted) return unsentOutcome(error);
      throw error;
    });
    const waitedMs = clock.now() - startedAt;
    if (!('id' in entered)) return { ...entered, waitedMs };
    const outcome = await sendWithPermit(next, [request, signal], entered, options);
    if (!outcome.response) {
      void store.update((state) => [settle(state, entered, outcome.sent ? 'lost' : 'unsent'), undefined]);
      return { ...outcome, waitedMs };
    }
    const { info, blockedUntil } = await record(request, outcome.response, startedAt + waitedMs, entered, {
      ...options,
      policy,
    });
    return { ...outcome, retryAt: blockedUntil ?? info.retryAt, waitedMs };
  };
}

/** Sends a request, and returns its permit if that throws: a local error, before anything was sent. */
async function sendWithPermit(
  next: Transport,
  args: Parameters<Transport>,
  permit: Permit,
  { store }: QuotaOptions,
): Promise<Outcome> {
  try {
    return await next(...args);
  } catch (error) {
    void store.update((state) => [settle(state, permit, 'unsent'), undefined]);
    throw error;
  }
}

/** Records a response. Waits for that only if requests are blocked from now on, and then returns until when. */
async function record(
  request: HttpRequest,
  response: ResponseHead,
  sentAt: number,
  permit: Permit,
  { store, clock, basePath, onQuota, policy }: QuotaOptions & { readonly policy: QuotaPolicy },
): Promise<{ readonly info: RateLimitInfo; readonly blockedUntil?: number | undefined }> {
  const now = clock.now();
  const reported = parseRateLimitInfo(response, sentAt, now);
  // The quota in a 401 is that of the client's address, since the service knows no such API key.
  const hasOtherQuota = policy.isOutsideSpec || response.status === 401;
  const info = hasOtherQuota ? { ...reported, quota: {}, hasOtherQuota } : reported;
  const recorded = store.update((state) => {
    const after = observeSupport(settle(state, permit, info), request, response, { basePath, now });
    if (info.isRateLimited || Object.keys(info.quota).length > 0) onQuota(after);
    return [after, after.block && findSpanEnd(after.block, now)];
  });
  return { info, blockedUntil: info.isRateLimited ? await recorded : undefined };
}

/** The time within which an aborted request settles. In milliseconds. */
const graceMs = 1_000;

/**
 * Waits until a request may be sent, and returns its permit. Throws a `Failure` (rate-limited) if it would wait too long, and
 * the signal's reason if aborted.
 */
async function enter(options: QuotaOptions, policy: QuotaPolicy, signal: AbortSignal): Promise<Permit> {
  const { store, clock, random, createId } = options;
  const durationMs = options.timeoutMs + graceMs;
  const admission: AdmitOptions = { leave: policy.leave, jitter: random(), id: createId(), durationMs };
  for (;;) {
    signal.throwIfAborted();
    const { permit, wait } = await store.update((state) => {
      const admitted = admit(state, clock.now(), admission);
      return [admitted.state, admitted];
    }, signal);
    if (permit && !signal.aborted) return permit;
    if (permit) {
      void store.update((state) => [settle(state, permit, 'unsent'), undefined]);
      throw signal.reason;
    }
    checkWait(wait, policy.once ? { ...options, maxWaitMs: 0 } : options, policy);
    const stop = (policy.onWait ?? options.onWait)(wait);
    try {
      await waitWhile(wait, signal, options, admission);
    } finally {
      await stop();
    }
  }
}

/** Resolves when the request would have to wait for something else, or not at all. */
async function waitWhile(
  { reason, endsAt, marginMs }: Wait,
  signal: AbortSignal,
  { store, clock, random }: QuotaOptions,
  admission: AdmitOptions,
): Promise<void> {
  const isProbe = reason === 'probe-in-flight';
  let probe = { endsAt, seenAt: clock.now() };
  for (;;) {
    const leftMs = Math.max(0, endsAt + marginMs - clock.now());
    // Short sleeps: the machine may be suspended, and another process may change the state.
    await clock.sleep(isProbe ? 20 + 40 * random() : Math.min(leftMs + 1, 1_000), signal);
    const { wait } = admit(await store.read(), clock.now(), admission);
    if (wait?.reason !== reason || (!isProbe && wait.endsAt !== endsAt)) return;
    // After the end of a probe, another request may be the next one.
    if (wait.endsAt !== probe.endsAt) probe = { endsAt: wait.endsAt, seenAt: clock.now() };
    if (isProbe && clock.now() >= probe.seenAt + (admission.durationMs ?? 0)) throw probeTimeout();
  }
}

function probeTimeout(): Failure {
  return new Failure('network', {
    code: 'timeout',
    message: 'timed out waiting for another petstore process',
    outcome: nothingSent,
    hint: 'increase --timeout',
  });
}

function checkWait(wait: Wait, { clock, label, limitHint, maxWaitMs }: QuotaOptions, { once }: QuotaPolicy): void {
  const { reason, endsAt } = wait;
  const waitMs = endsAt - clock.now();
  if (mayWait(reason, waitMs, maxWaitMs)) return;
  throw new Failure('rate-limited', {
    code: 'rate_limited',
    message: describeWait(wait, label),
    ...(reason !== 'leave' && { outcome: nothingSent, hint: limitHint(waitMs, { once, isHeldBack: true }) }),
    retryAt: endsAt,
  });
}

function describeWait({ reason, dayLimit }: Wait, label: string): string {
  if (dayLimit !== undefined) return `the day's quota of ${label} (${formatCount(dayLimit, 'request')}) is used up`;
  if (reason === 'leave') return 'half of the remaining quota is used';
  return reason === 'block' ? 'the service rate limited or banned this API key' : 'no requests are left in this window';
}
