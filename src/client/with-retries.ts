import { type HttpRequest, type HttpResponse, hasIdempotencyKey, isSafeMethod, type Transport } from '../api/http.js';
import type { Quota } from '../api/rate-limit-headers.js';
import type { Clock } from '../clock.js';
import { Failure } from '../failure.js';
import type { Gate, Permit } from '../quota/gate.js';
import { type IdempotencyTracker, isKeyStored } from '../quota/idempotency-support.js';
import { parseRateLimitInfo } from '../quota/rate-limit-info.js';
import { type AttemptOutcome, classifyEffect, getResponse, isSentWithoutResponse } from './attempt-outcome.js';
import { decideRetry, type Repeatability, type RetryDecision } from './decide-retry.js';
import { type Middleware, withDeadline } from './middleware.js';
import { TransportError } from './transport-error.js';

export interface RetryOptions {
  readonly gate: Gate;
  readonly idempotency: IdempotencyTracker;
  readonly clock: Clock;
  /** Returns a number from 0 up to 1. */
  readonly random: () => number;
  /** The limit for all attempts of a request together, without the waits that the service named. */
  readonly timeoutMs: number;
  /** The longest wait that the service may name. */
  readonly maxWaitMs: number;
  /** Aborts requests in flight, in place of the signal of the command. */
  readonly inFlightSignal?: AbortSignal | undefined;
  /** Called before a request is sent again; the returned function is called when it is. */
  readonly onRetry: (retry: RetryDecision, retries: number) => () => Promise<void>;
  /** Receives the quota of each response; nothing remains of it while requests are blocked. */
  readonly onQuota: (quota: Quota, blockedUntil?: number) => void;
}

/**
 * Sends a request through the gate. Retries it if a retry may succeed and cannot repeat a change. Sets `retryAt` on a
 * response that blocks requests or names a time to retry. If the service may have made a change in one attempt and none
 * settles that, that attempt is the outcome.
 *
 * The loop is long because each step needs what the attempts before it have left: the time, and an attempt that may have
 * made the change. Parts that depend on one attempt only are below and in decide-retry.ts.
 */
export function withRetries(options: RetryOptions): Middleware {
  const { gate, clock, timeoutMs, maxWaitMs, random, onRetry } = options;
  return (next) => async (request, signal) => {
    const isSafe = isSafeMethod(request.method);
    let leftMs = timeoutMs;
    let last: AttemptOutcome | undefined;
    // The last attempt that may have made the change.
    let unsettled: AttemptOutcome | undefined;
    let firstSentAt: number | undefined;
    let wasSent = false;
    const finish = () => toResponse((unsettled ?? last) as AttemptOutcome, wasSent);
    for (let retries = 0; ; retries += 1) {
      const entering = gate.enter(signal, leftMs + deadlineGraceMs, request.noRetry);
      const permit = await markWait(entering, { retries, unsettled }).catch((error: unknown) => {
        // The gate forbids the retry, so the last outcome is final.
        if (last && error instanceof Failure && (unsettled || error.kind === 'rate-limited')) return undefined;
        throw error;
      });
      if (!permit) return finish();
      firstSentAt ??= clock.now();
      // The key may have expired during the wait.
      if (unsettled && (await findRepeatability(request, firstSentAt, options)) === 'none') {
        void permit.recordNoResponse({ wasSent: false });
        return finish();
      }
      const attempt = await sendOnce(
        withDeadline({ leftMs, timeoutMs, clock })(next),
        [request, options.inFlightSignal ?? signal],
        permit,
        options,
      );
      last = attempt.outcome;
      if (!(last instanceof TransportError) || last.sent) wasSent = true;
      if (!(last instanceof TransportError) && last.status < 300) return last;
      leftMs -= attempt.elapsedMs;
      const effect = isSafe ? 'none' : classifyEffect(last);
      if (effect !== 'none') unsettled = effect === 'unknown' ? last : undefined;
      const now = clock.now();
      const retryAt = getResponse(last)?.retryAt;
      const isFinal = signal.aborted || request.noRetry;
      const isUnsettled = unsettled !== undefined;
      const retry = isFinal
        ? undefined
        : decideRetry(last, {
            repeatability: isSafe ? 'safe' : await findRepeatability(request, firstSentAt, options),
            isUnsettled,
            retries,
            random,
            retryAt,
            now,
          });
      if (!retry) return finish();
      const { waitSource, delayMs } = retry;
      const waitMs = waitSource === 'gate' ? (retryAt ?? now) - now : delayMs;
      if (waitSource === 'backoff' ? waitMs >= leftMs : waitMs > maxWaitMs) return finish();
      if (!isSafe && !isUnsettled) request.sendObserver?.beforeRetry();
      const stop = onRetry(retry, retries + 1);
      await markWait(clock.sleep(delayMs, signal), { retries: retries + 1, unsettled }).finally(stop);
      leftMs = waitSource === 'backoff' ? leftMs - delayMs : timeoutMs;
    }
  };
}

async function findRepeatability(
  request: HttpRequest,
  firstSentAt: number,
  { idempotency, clock }: RetryOptions,
): Promise<Repeatability> {
  const support = hasIdempotencyKey(request) ? await idempotency.findSupport() : undefined;
  return support && isKeyStored(support, clock.now() - firstSentAt) ? 'keyed' : 'none';
}

/** Returns the response. Throws the error of an attempt without one; `wasSent` means that any attempt was sent. */
function toResponse(outcome: AttemptOutcome, wasSent: boolean): HttpResponse {
  if (!(outcome instanceof TransportError)) return outcome;
  const { cause, sent, response } = outcome;
  throw wasSent && !sent ? new TransportError(cause as Error, { sent, response, isRetry: true }) : outcome;
}

/** The time within which an aborted request settles. */
const deadlineGraceMs = 1_000;

async function sendOnce(
  send: Transport,
  args: Parameters<Transport>,
  permit: Permit,
  { clock, onQuota, idempotency }: RetryOptions,
): Promise<{ readonly outcome: AttemptOutcome; readonly elapsedMs: number }> {
  const [request] = args;
  if (request.sendObserver) await releaseOnError(request.sendObserver.beforeSend(), permit);
  const sentAt = clock.now();
  const outcome = await releaseOnError(toOutcome(send(...args)), permit);
  const now = clock.now();
  const elapsedMs = Math.max(0, now - sentAt);
  const response = getResponse(outcome);
  if (!response) {
    void permit.recordNoResponse({ wasSent: isSentWithoutResponse(outcome) });
    return { outcome, elapsedMs };
  }
  const reported = parseRateLimitInfo(response, sentAt, now);
  // The quota in a 401 is that of the client's address, since the service knows no such API key.
  const hasOtherQuota = request.isOutsideSpec || response.status === 401;
  const info = hasOtherQuota ? { ...reported, quota: {}, hasOtherQuota } : reported;
  onQuota(info.quota);
  const recorded = permit.recordResponse(info, idempotency.observe(request, response));
  const blockedUntil = info.isRateLimited ? await recorded : undefined;
  if (blockedUntil !== undefined) {
    onQuota({ ...info.quota, remaining: 0, resetAt: blockedUntil }, blockedUntil);
  }
  const retryAt = blockedUntil ?? info.retryAt;
  return { outcome: retryAt === undefined ? outcome : withRetryAt(outcome, retryAt), elapsedMs };
}

function withRetryAt(outcome: AttemptOutcome, retryAt: number): AttemptOutcome {
  if (!(outcome instanceof TransportError)) return { ...outcome, retryAt };
  const { cause, sent, isRetry, response } = outcome;
  return new TransportError(cause as Error, {
    sent,
    isRetry,
    response: response && { ...response, retryAt },
  });
}

async function toOutcome(sending: Promise<HttpResponse>): Promise<AttemptOutcome> {
  try {
    return await sending;
  } catch (error) {
    if (error instanceof TransportError) return error;
    throw error;
  }
}

/** Releases the permit if `work` fails, since the request was then not sent. */
async function releaseOnError<Result>(work: Promise<Result>, permit: Permit): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    void permit.recordNoResponse({ wasSent: false });
    throw error;
  }
}

/** Marks a cancellation during a wait as an error of a request that was not sent, or of one without a known outcome. */
async function markWait<Result>(
  waiting: Promise<Result>,
  { retries, unsettled }: { readonly retries: number; readonly unsettled: AttemptOutcome | undefined },
): Promise<Result> {
  try {
    return await waiting;
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'canceled') throw error;
    throw new TransportError(error, { sent: unsettled !== undefined, response: undefined, isRetry: retries > 0 });
  }
}
