import type { Block, LedgerEntry } from './ledger.js';

/** An entry of the ledger as it was written, or nothing where the text is none: others may write there. */
export function parseEntry(text: string): LedgerEntry | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isEntry(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

type Check = (value: unknown) => boolean;

/** Milliseconds since the Unix epoch that a date can be made of. */
const isTime: Check = (value) => isCount(value) && (value as number) <= 8_640_000_000_000_000;
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isWhole: Check = (value) => Number.isSafeInteger(value);
const isText: Check = (value) => typeof value === 'string' && value.length <= 300;
const isSpan: Check = (value) => Number.isFinite(value) && (value as number) >= 0;

/** It is waited for whatever `--max-wait` says: no more than an answer takes at most, or than the block lasts. */
const isBlock: Check = (value) => {
  if (!isShapedBlock(value)) return false;
  const { since, until, spread } = value as Block;
  return spread <= Math.max(0, until - since) + leastSpread;
};
const isDoubt: Check = (value) => isCount(value) && (value as number) <= longestDoubt;
const longestDoubt = 86_500_000;
const leastSpread = 60_000;

const isQuota = shape({}, { limit: isCount, remaining: isCount, resetAt: isTime });
const isWindow = shape({
  limit: isCount,
  remaining: isWhole,
  since: isTime,
  until: isTime,
  doubt: isDoubt,
});
const isReservation = shape(
  { id: isText, owner: isText, since: isTime, until: isTime, refusals: isCount },
  { count: isCount },
);

const isShapedBlock = shape({ since: isTime, until: isTime, doubt: isDoubt, spread: isSpan });

const isEntry = shape(
  {
    quota: isQuota,
    seenAt: isTime,
    windows: listOf(isWindow),
    reservations: listOf(isReservation),
    refusals: isCount,
    silent: (value) => typeof value === 'boolean',
  },
  { block: isBlock },
) as (value: unknown) => value is LedgerEntry;

function shape(required: Record<string, Check>, optional: Record<string, Check> = {}): Check {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const record = value as Record<string, unknown>;
    return (
      Object.entries(required).every(([name, check]) => check(record[name])) &&
      Object.entries(optional).every(
        ([name, check]) => record[name] === undefined || check(record[name]),
      )
    );
  };
}

function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.length <= 1_000 && value.every(check);
}
