import { expect, test } from 'vitest';
import { emptyLedgerEntry, type LedgerEntry, mergeLedgerEntries } from '../../src/quota/ledger.js';

const now = Date.UTC(2026, 10, 21, 12);
const block = { startedAt: now - 60_000, endsAt: now + 3_600_000, clockUncertaintyMs: 0, maxJitterMs: 0 };
const entryAt = (seenAt: number, change: Partial<LedgerEntry> = {}) => ({ ...emptyLedgerEntry, seenAt, ...change });

test.each<[string, LedgerEntry, LedgerEntry, boolean]>([
  ['keeps the block of the older state', entryAt(now - 1), entryAt(now - 60_000, { block }), true],
  [
    'keeps it after a diagnosis without a result',
    entryAt(now, { diagnosedAt: now }),
    entryAt(now - 1, { block }),
    true,
  ],
  ['drops it once the limit was raised', entryAt(now, { raisedAt: now - 1 }), entryAt(now - 9, { block }), false],
  ['drops it even from the newer state', entryAt(now - 9, { raisedAt: now - 9 }), entryAt(now, { block }), false],
  ['keeps a later block', entryAt(now, { raisedAt: now - 90_000 }), entryAt(now - 9, { block }), true],
])('a merge %s', (_, one, other, keeps) => {
  for (const merged of [mergeLedgerEntries(one, other, now), mergeLedgerEntries(other, one, now)]) {
    expect(merged.block).toEqual(keeps ? block : undefined);
  }
});
