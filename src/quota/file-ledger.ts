import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locks } from '../config/lock.js';
import { retryWhileOpen } from '../config/retry-while-open.js';
import type { Secret } from '../config/secret.js';
import { sha256Hex } from '../format/sha256.js';
import { emptyLedgerEntry, type Ledger, type LedgerEntry, mergeReservations } from './ledger.js';
import { createUpdateQueue, type WriteState } from './update-queue.js';

/** Many processes that start at once take turns. On two busy cores, 30 first starts at once all get the lock in time. */
const firstLockTimeoutMs = 2_000;
/** After an error, a command must not wait long again. */
const nextLockTimeoutMs = 500;

/**
 * Opens the ledger of an account on disk: a small file in a private directory. A damaged file is moved aside. A ledger
 * that cannot be read or written never stops a command: this process then keeps the state in memory, and calls `onError`
 * once.
 */
export function openFileLedger(
  directory: string,
  account: string,
  locks: Locks,
  onError: (error: unknown) => void,
): Ledger {
  const { pid, host, isProcessAlive } = locks.lockOwner;
  const owner = `${pid} ${host}`;
  const path = join(directory, `${account}.json`);
  let known: LedgerEntry | undefined;
  /** True if the file lacks a change of this process. */
  let isUnsaved = false;
  let hasReported = false;
  const report = (error: unknown) => {
    if (!hasReported) onError(error);
    hasReported = true;
  };
  const read = () => {
    const text = readEntryText(path);
    const stored = text === undefined ? undefined : parseLedgerEntry(text);
    const isDamaged = text !== undefined && !stored;
    if (!stored || !known || !isUnsaved) return { entry: stored ?? known ?? emptyLedgerEntry, isDamaged };
    return { entry: mergeReservations(known, stored, owner, locks.clock.now()), isDamaged };
  };
  const find = () => {
    try {
      return read().entry;
    } catch (error) {
      report(error);
      return known ?? emptyLedgerEntry;
    }
  };
  const apply = (edit: Parameters<WriteState>[0], before: LedgerEntry) => {
    const entry = edit(before);
    isUnsaved ||= entry !== before;
    known = entry;
    return entry;
  };
  const save = async (entry: LedgerEntry, { isDamaged }: { readonly isDamaged: boolean }) => {
    try {
      if (isDamaged) renameSync(path, `${path}.damaged`);
      await replaceFile(path, `${formatLedgerEntry(entry)}\n`, locks, !hasReported);
      isUnsaved = false;
    } catch (error) {
      report(error);
    }
  };
  const write: WriteState = async (edit, signal) => {
    const timeoutMs = hasReported ? nextLockTimeoutMs : firstLockTimeoutMs;
    const writeFile = async () => {
      const { entry: before, isDamaged } = read();
      const entry = apply(edit, before);
      if (isUnsaved) await save(entry, { isDamaged });
    };
    try {
      await locks.withLock(`${path}.lock`, writeFile, timeoutMs, signal);
    } catch (error) {
      signal?.throwIfAborted();
      report(error);
      apply(edit, find());
    }
  };
  const { update, enqueue } = createUpdateQueue(write);
  return {
    owner,
    hasEnded: (name) => {
      const [id, ownerHost] = name.split(' ');
      return ownerHost === host && Number(id) !== pid && !isProcessAlive(Number(id));
    },
    find: async () => find(),
    update,
    flush: () =>
      enqueue(async () => {
        if (isUnsaved) await write((entry) => entry);
      }),
  };
}

/** Returns the name of an account in the ledger: a digest, which reveals neither origin nor API key. */
export function hashAccount(origin: string, apiKey: Secret): string {
  return sha256Hex(`${origin}\n${apiKey.reveal()}`).slice(0, 32);
}

/** Returns the last complete line: earlier releases appended one line per change. */
function readEntryText(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return undefined;
  // Reading a pipe would block.
  if (!stats.isFile()) throw new Error(`${path} is not a regular file`);
  const text = readFileSync(path, 'utf8');
  const complete = text.slice(0, text.lastIndexOf('\n') + 1) || text;
  return complete.trimEnd().split('\n').at(-1);
}

/** Replaces a file, so that a reader without the lock never sees half of it. */
async function replaceFile(path: string, text: string, { lockOwner, clock }: Locks, mayWait: boolean): Promise<void> {
  const temporary = `${path}.${lockOwner.pid}.tmp`;
  try {
    writeFileSync(temporary, text, { mode: 0o600 });
    const replace = () => renameSync(temporary, path);
    try {
      replace();
    } catch (error) {
      // Only the first failure costs a second.
      if (!mayWait) throw error;
      await retryWhileOpen(error, replace, clock);
    }
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
}

/** The keys of a stored entry that differ from the names in memory. Released versions read and write these keys. */
const storedKeys: Readonly<Record<string, string>> = {
  startedAt: 'since',
  endsAt: 'until',
  clockUncertaintyMs: 'doubt',
  maxJitterMs: 'spread',
  rateLimitedStreak: 'refusals',
  noQuotaHeaders: 'silent',
};
const memoryKeys = Object.fromEntries(Object.entries(storedKeys).map(([name, key]) => [key, name]));

/** Returns an entry as JSON on one line. */
export function formatLedgerEntry(entry: LedgerEntry): string {
  return JSON.stringify(entry, renameKeys(storedKeys));
}

const maxLength = 1_000_000;

/** Parses a stored entry. Returns undefined if the text is not a valid entry. */
export function parseLedgerEntry(text: string): LedgerEntry | undefined {
  if (text.length > maxLength) return undefined;
  try {
    const value: unknown = JSON.parse(text, renameKeys(memoryKeys));
    return isEntry(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a replacer for `JSON.stringify` or a reviver for `JSON.parse`. */
function renameKeys(names: Readonly<Record<string, string>>) {
  return (_key: string, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [names[key] ?? key, item])) : value;
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
  const { startedAt, endsAt, maxJitterMs } = value as NonNullable<LedgerEntry['block']>;
  return maxJitterMs <= Math.max(0, endsAt - startedAt) + 60_000;
};
const isEntry = hasShape(
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
) as (value: unknown) => value is LedgerEntry;

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
