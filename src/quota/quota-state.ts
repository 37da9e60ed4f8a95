import type { Quota } from '../api/rate-limit-headers.js';
import { isRecord } from '../format/json.js';

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

/** The permission to send one request, which may be in flight until `endsAt`. It starts when the request is sent. */
export interface Permit extends TimeSpan {
  readonly id: string;
  /** The state's `blockCount` when the request was sent. */
  readonly blockCount: number;
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
  /** The requests that may be in flight. */
  readonly permits: readonly Permit[];
  readonly block?: RateLimitBlock;
  /** The number of blocks in a row. */
  readonly blockCount: number;
  /** True if the service responds without reporting a window. */
  readonly noQuotaHeaders: boolean;
  readonly idempotency?: IdempotencySupport | undefined;
}

export const emptyQuotaState: QuotaState = {
  quota: {},
  seenAt: 0,
  windows: [],
  permits: [],
  blockCount: 0,
  noQuotaHeaders: false,
};

/** Returns when a span ends. If the clock was set back to before its start, its full length starts now. */
export function findSpanEnd({ startedAt, endsAt }: TimeSpan, now: number): number {
  return now < startedAt ? now + endsAt - startedAt : endsAt;
}

/** Returns until when no request may be sent, or undefined if requests may be sent now. */
export function findPauseEnd({ block, windows }: QuotaState, now: number): number | undefined {
  const exhausted = windows.filter(({ remaining }) => remaining <= 0);
  const spans: readonly TimeSpan[] = [...exhausted, ...(block ? [block] : [])];
  const endsAt = Math.max(0, ...spans.map((span) => findSpanEnd(span, now)));
  return endsAt > now ? endsAt : undefined;
}

/** Parses a stored state. Throws an error if the text is not a valid state. */
export function parseQuotaState(text: string): QuotaState {
  const value: unknown = JSON.parse(text);
  if (!isQuotaState(value)) throw new Error('not a quota state');
  return value;
}

function isQuotaState(value: unknown): value is QuotaState {
  if (!isRecord(value)) return false;
  const { quota, windows, permits, block, idempotency } = value;
  return (
    hasNumbers(value, 'seenAt', 'blockCount') &&
    typeof value.noQuotaHeaders === 'boolean' &&
    isRecord(quota) &&
    hasNumbers(quota, ...Object.keys(quota)) &&
    isListOf(windows, 'startedAt', 'endsAt', 'limit', 'remaining', 'clockUncertaintyMs') &&
    isListOf(permits, 'startedAt', 'endsAt', 'blockCount') &&
    (block === undefined || hasNumbers(block, 'startedAt', 'endsAt', 'clockUncertaintyMs', 'maxJitterMs')) &&
    (idempotency === undefined || hasNumbers(idempotency, 'seenAt', 'lifetimeMs'))
  );
}

function isListOf(value: unknown, ...members: readonly string[]): boolean {
  return Array.isArray(value) && value.every((one) => hasNumbers(one, ...members));
}

/** The latest time that a `Date` can hold, in milliseconds. */
const maxNumber = 8_640_000_000_000_000;

function hasNumbers(value: unknown, ...members: readonly string[]): boolean {
  const isNumber = (one: unknown) => typeof one === 'number' && Math.abs(one) <= maxNumber;
  return isRecord(value) && members.every((member) => isNumber(value[member]));
}
