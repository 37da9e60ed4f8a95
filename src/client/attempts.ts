import { setMaxListeners } from 'node:events';
import type { Clock } from '../contract/clock.js';
import { type HttpResponse, isSafe, type Transport } from '../contract/exchange.js';
import type { Quota } from '../contract/quota.js';
import { Failure } from '../ports/failure.js';
import { withDeadline } from './deadline.js';
import type { Gate, Pass } from './gate.js';
import { decideRetry, type Outcome, type Retry } from './retry.js';
import { readTold, type Told } from './told.js';
import { TransportError } from './transport-error.js';

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
  /** Told what each answer says of the quota, and until when requests are refused: then nothing is left. */
  readonly onQuota: (quota: Quota, blockedUntil?: number) => void;
}

/** Sends a request through the gate, and again where that may help and cannot do a thing twice. */
export function withAttempts(send: Transport, options: AttemptsOptions): Transport {
  const { clock, timeout, maxWait, random, onRetry } = options;
  return async (request, signal) => {
    let left = timeout;
    for (let retries = 0; ; retries += 1) {
      const pass = await unsent(
        options.gate.enter(signal, left + settling, request.once ? 0 : maxWait),
        retries,
      );
      const { outcome, told, blockedUntil, spent } = await attempt(
        withDeadline(send, { left, timeout, clock }),
        [request, options.patient ? never : signal],
        pass,
        options,
      );
      left -= spent;
      const now = clock.now();
      const circumstances = { retries, random, retryAt: told?.retryAt, now };
      const retry =
        signal.aborted || request.once ? undefined : decideRetry(request, outcome, circumstances);
      const wait = blockedUntil === undefined ? (retry?.pause ?? 0) : blockedUntil - now;
      if (!retry || (retry.declared ? wait > maxWait : wait >= left)) {
        if (outcome instanceof TransportError) throw outcome;
        return outcome;
      }
      if (!isSafe(request.method)) request.witness?.repeating();
      const stop = onRetry(retry, retries + 1);
      await unsent(clock.sleep(retry.pause, signal), retries + 1).finally(stop);
      if (!retry.declared) left -= retry.pause;
    }
  };
}

const never = new AbortController().signal;
// An import has many requests that wait at once.
setMaxListeners(0, never);

/** How long after its deadline a request is surely over, in milliseconds. */
const settling = 1_000;

interface Attempt {
  readonly outcome: Outcome;
  /** What the answer told, where there was one. */
  readonly told?: Told | undefined;
  /** Until when nothing is sent, where the answer refused. */
  readonly blockedUntil?: number | undefined;
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
  const answer = outcome instanceof TransportError ? outcome.answer : outcome;
  if (!answer) {
    void pass.lost((outcome as TransportError).sent);
    return { outcome, spent };
  }
  const told = readTold(answer, sentAt, now);
  onQuota(told.quota);
  const kept = pass.answered(told);
  const blockedUntil = told.status === 429 ? await kept : undefined;
  if (blockedUntil !== undefined) {
    onQuota({ ...told.quota, remaining: 0, resetAt: blockedUntil }, blockedUntil);
  }
  return { outcome, told, blockedUntil, spent };
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
    if (!(error instanceof Failure) || error.kind !== 'cancelled') throw error;
    throw new TransportError(error, { sent: false, answer: undefined, again: retries > 0 });
  }
}
