import { type HttpResponse, isSafe, type Transport } from '../api/http.js';
import type { Quota } from '../api/rate-limit-headers.js';
import type { Clock } from '../clock.js';
import { Failure } from '../failure.js';
import type { Gate, Pass } from '../quota/gate.js';
import { readTold } from '../quota/rate-limit-info.js';
import { decideRetry, type Outcome, type Retry } from './decide-retry.js';
import { TransportError } from './transport-error.js';
import { withDeadline } from './with-deadline.js';

export interface AttemptsOptions {
  readonly gate: Gate;
  readonly clock: Clock;
  /** A number from 0 up to 1. */
  readonly random: () => number;
  /** For one request with all its attempts, waits that the service named left out; in milliseconds. */
  readonly timeout: number;
  /** The longest wait that the service may name, in milliseconds. */
  readonly maxWait: number;
  /** What was sent is waited for, though the command was cancelled. */
  readonly patient?: boolean;
  /** Told before a request is sent again; what it returns is called when it is. */
  readonly onRetry: (retry: Retry, retries: number) => () => Promise<void>;
  /** Told what each answer says of the quota; while requests are refused nothing is left of it. */
  readonly onQuota: (quota: Quota, blockedUntil?: number) => void;
}

/**
 * Sends a request through the gate, and again where that may help and cannot do a thing twice. An answer that
 * says when to try again has that time in `retryAt`.
 */
export function withAttempts(send: Transport, options: AttemptsOptions): Transport {
  const { clock, timeout, maxWait, random, onRetry } = options;
  const never = options.patient ? new AbortController().signal : undefined;
  return async (request, signal) => {
    let left = timeout;
    let last: Outcome | undefined;
    for (let retries = 0; ; retries += 1) {
      const entering = options.gate.enter(signal, left + settling, request.once);
      const pass = await unsent(entering, retries).catch((error: unknown) => {
        // What was asked for again, and may not be, has its answer already.
        if (last && error instanceof Failure && error.kind === 'rate-limited') return undefined;
        throw error;
      });
      if (!pass) return responseOf(last as Outcome);
      const { outcome, spent } = await attempt(
        withDeadline(send, { left, timeout, clock }),
        [request, never ?? signal],
        pass,
        options,
      );
      last = outcome;
      left -= spent;
      const now = clock.now();
      const retryAt = retryAtOf(outcome);
      const circumstances = { retries, random, retryAt, now };
      const retry =
        signal.aborted || request.once ? undefined : decideRetry(request, outcome, circumstances);
      if (!retry) return responseOf(outcome);
      const wait = retry.by === 'gate' ? (retryAt ?? now) - now : retry.pause;
      if (retry.by === 'backoff' ? wait >= left : wait > maxWait) return responseOf(outcome);
      if (!isSafe(request.method)) request.witness?.repeating();
      const stop = onRetry(retry, retries + 1);
      await unsent(clock.sleep(retry.pause, signal), retries + 1).finally(stop);
      // What the service has put off begins anew.
      left = retry.by === 'backoff' ? left - retry.pause : timeout;
    }
  };
}

function responseOf(outcome: Outcome): HttpResponse {
  if (outcome instanceof TransportError) throw outcome;
  return outcome;
}

function retryAtOf(outcome: Outcome): number | undefined {
  return outcome instanceof TransportError ? outcome.answer?.retryAt : outcome.retryAt;
}

/** How long after its deadline a request is surely over, in milliseconds. */
const settling = 1_000;

interface Attempt {
  readonly outcome: Outcome;
  /** Milliseconds. */
  readonly spent: number;
}

async function attempt(
  send: Transport,
  exchange: Parameters<Transport>,
  pass: Pass,
  { clock, onQuota }: AttemptsOptions,
): Promise<Attempt> {
  const [request] = exchange;
  if (request.witness) await unlessFailed(request.witness.sending(), pass);
  const sentAt = clock.now();
  const outcome = await outcomeOf(send(...exchange), pass);
  const now = clock.now();
  const spent = Math.max(0, now - sentAt);
  const isError = outcome instanceof TransportError;
  const answer = isError ? outcome.answer : outcome;
  if (!answer || request.otherKey) {
    void pass.lost(isError && outcome.sent && !request.otherKey);
    return { outcome, spent };
  }
  const told = readTold(answer, sentAt, now);
  onQuota(told.quota);
  const kept = pass.answered(told);
  const blockedUntil = told.isRefusal ? await kept : undefined;
  if (blockedUntil !== undefined) {
    onQuota({ ...told.quota, remaining: 0, resetAt: blockedUntil }, blockedUntil);
  }
  const retryAt = blockedUntil ?? told.retryAt;
  return { outcome: retryAt === undefined ? outcome : withRetryAt(outcome, retryAt), spent };
}

function withRetryAt(outcome: Outcome, retryAt: number): Outcome {
  if (!(outcome instanceof TransportError)) return { ...outcome, retryAt };
  const { cause, sent, again, answer } = outcome;
  return new TransportError(cause as Error, {
    sent,
    again,
    answer: answer && { ...answer, retryAt },
  });
}

function outcomeOf(answering: Promise<HttpResponse>, pass: Pass): Promise<Outcome> {
  return unlessFailed(
    answering.catch((error: unknown) => {
      if (error instanceof TransportError) return error;
      throw error;
    }),
    pass,
  );
}

/** What failed otherwise than on the wire never left this process. */
async function unlessFailed<Result>(working: Promise<Result>, pass: Pass): Promise<Result> {
  try {
    return await working;
  } catch (error) {
    void pass.lost(false);
    throw error;
  }
}

/** What is cancelled before it is sent, again or at all, had no effect. */
async function unsent<Result>(waiting: Promise<Result>, retries: number): Promise<Result> {
  try {
    return await waiting;
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'canceled') throw error;
    throw new TransportError(error, { sent: false, answer: undefined, again: retries > 0 });
  }
}
