import { lstatSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Locks } from '../config/files.js';

import type { Secret } from '../config/secret.js';
import { sha256Hex } from '../format/sha256.js';
import { emptyQuotaState, mergeReservations, type QuotaState, type QuotaStore } from './quota-state.js';
import { createUpdateQueue, type WriteState } from './update-queue.js';

/** Many processes that start at once take turns. On two busy cores, 30 first starts at once all get the lock in time. */
const firstLockTimeoutMs = 2_000;
/** After an error, a command must not wait long again. */
const nextLockTimeoutMs = 500;

/**
 * Opens the quota store of an account on disk: a small file in a private directory. A damaged file is moved aside. A
 * file that cannot be read or written never stops a command: this process then keeps the state in memory, and calls
 * `onError` once.
 */
export function openFileQuotaStore(
  directory: string,
  account: string,
  locks: Locks,
  onError: (error: unknown) => void,
): QuotaStore {
  const owner = Math.random().toString(36).slice(2);
  const path = join(directory, `${account}.json`);
  let known: QuotaState | undefined;
  /** True if the file lacks a change of this process. */
  let isUnsaved = false;
  let hasReported = false;
  const report = (error: unknown) => {
    if (!hasReported) onError(error);
    hasReported = true;
  };
  const read = () => {
    const text = readStateText(path);
    const stored = text === undefined ? undefined : parseQuotaState(text);
    const isDamaged = text !== undefined && !stored;
    if (!stored || !known || !isUnsaved) return { state: stored ?? known ?? emptyQuotaState, isDamaged };
    return { state: mergeReservations(known, stored, owner, locks.clock.now()), isDamaged };
  };
  const find = () => {
    try {
      return read().state;
    } catch (error) {
      report(error);
      return known ?? emptyQuotaState;
    }
  };
  const apply = (edit: Parameters<WriteState>[0], before: QuotaState) => {
    const state = edit(before);
    isUnsaved ||= state !== before;
    known = state;
    return state;
  };
  const save = async (state: QuotaState, { isDamaged }: { readonly isDamaged: boolean }) => {
    try {
      if (isDamaged) renameSync(path, `${path}.damaged`);
      await locks.replaceFile(path, `${JSON.stringify(state)}\n`);
      isUnsaved = false;
    } catch (error) {
      report(error);
    }
  };
  const write: WriteState = async (edit, signal) => {
    const timeoutMs = hasReported ? nextLockTimeoutMs : firstLockTimeoutMs;
    const writeFile = async () => {
      const { state: before, isDamaged } = read();
      const state = apply(edit, before);
      if (isUnsaved) await save(state, { isDamaged });
    };
    try {
      await locks.withLock(`${path}.lock`, writeFile, { timeoutMs, signal });
    } catch (error) {
      signal?.throwIfAborted();
      report(error);
      apply(edit, find());
    }
  };
  const { update, enqueue } = createUpdateQueue(write);
  return {
    owner,
    hasEnded: () => false,
    find: async () => find(),
    update,
    flush: () =>
      enqueue(async () => {
        if (isUnsaved) await write((state) => state);
      }),
  };
}

/** Returns the name of an account in the quota store: a digest, which reveals neither origin nor API key. */
export function hashAccount(origin: string, apiKey: Secret): string {
  return sha256Hex(`${origin}\n${apiKey.reveal()}`).slice(0, 32);
}

/** Returns undefined if there is no file. */
function readStateText(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return undefined;
  // Reading a pipe would block.
  if (!stats.isFile()) throw new Error(`${path} is not a regular file`);
  return readFileSync(path, 'utf8');
}

const maxLength = 1_000_000;

/** Parses a stored state. Returns undefined if the text is not a valid state. */
export function parseQuotaState(text: string): QuotaState | undefined {
  if (text.length > maxLength) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isQuotaState(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Check = (value: unknown) => boolean;

const isInteger: Check = (value) => Number.isSafeInteger(value);
const isCount = isBetween(0, Number.MAX_SAFE_INTEGER);
/** Milliseconds since the Unix epoch, within the range of `Date`. */
const isTime = isBetween(0, 8_640_000_000_000_000);
/** A response takes at most a day, the longest `--timeout`, and so does the uncertainty it causes. */
const isUncertainty = isBetween(0, 86_500_000);
const isName: Check = (value) => typeof value === 'string' && value.length <= 300;
const isSpan = { startedAt: isTime, endsAt: isTime };

const isWindow = hasShape({
  ...isSpan,
  limit: isCount,
  remaining: isInteger,
  clockUncertaintyMs: isUncertainty,
});
const isReservation = hasShape({ ...isSpan, id: isName, owner: isName, rateLimitedStreak: isCount });
const hasBlockShape = hasShape({
  ...isSpan,
  clockUncertaintyMs: isUncertainty,
  maxJitterMs: (value) => Number.isFinite(value) && (value as number) >= 0,
});
/** The jitter is waited for whatever `--max-wait` is, so it must not exceed the block by more than a minute. */
const isBlock: Check = (value) => {
  if (!hasBlockShape(value)) return false;
  const { startedAt, endsAt, maxJitterMs } = value as NonNullable<QuotaState['block']>;
  return maxJitterMs <= Math.max(0, endsAt - startedAt) + 60_000;
};
const isQuotaState = hasShape(
  {
    quota: hasShape({}, { limit: isCount, remaining: isCount, resetAt: isTime }),
    seenAt: isTime,
    windows: isListOf(isWindow),
    reservations: isListOf(isReservation),
    rateLimitedStreak: isCount,
    noQuotaHeaders: (value) => typeof value === 'boolean',
  },
  {
    block: isBlock,
    idempotency: hasShape({ basePath: isName, seenAt: isTime, lifetimeMs: isCount }),
  },
) as (value: unknown) => value is QuotaState;

function isBetween(min: number, max: number): Check {
  return (value) => isInteger(value) && (value as number) >= min && (value as number) <= max;
}

function hasShape(required: Record<string, Check>, optional: Record<string, Check> = {}): Check {
  return (value) =>
    isRecord(value) &&
    Object.entries(required).every(([key, check]) => check(value[key])) &&
    Object.entries(optional).every(([key, check]) => value[key] === undefined || check(value[key]));
}

function isListOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.length <= 1_000 && value.every(check);
}
