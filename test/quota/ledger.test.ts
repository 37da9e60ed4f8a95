import { expect, test } from 'vitest';
import { emptyLedgerEntry, type LedgerEntry, mergeLedgerEntries } from '../../src/quota/ledger.js';

const now = Date.UTC(2026, 10, 21, 12);
const block = { startedAt: now - 60_000, endsAt: now + 3_600_000, clockUncertaintyMs: 0, maxJitterMs: 0 };
const entryAt = (seenAt: number, change: Partial<LedgerEntry> = {}) => ({ ...emptyLedgerEntry, seenAt, ...change });

test('a merge keeps the block of the older state', () => {
  const newer = entryAt(now - 1);
  const older = entryAt(now - 60_000, { block });
  for (const merged of [mergeLedgerEntries(newer, older, now), mergeLedgerEntries(older, newer, now)]) {
    expect(merged.block).toEqual(block);
  }
});
