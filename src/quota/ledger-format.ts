import type { LedgerEntry } from './ledger.js';

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
    isRecord(value)
      ? Object.fromEntries(Object.entries(value).map(([key, item]) => [names[key] ?? key, item]))
      : value;
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
const isReservation = hasShape(
  { ...isSpan, id: isName, owner: isName, rateLimitedStreak: isCount },
  { count: isCount },
);
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
  { block: isBlock },
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
