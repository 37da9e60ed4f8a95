import { expect, test } from 'vitest';
import { emptyQuotaState, mergeQuotaStates, type QuotaState } from '../../src/quota/quota-state.js';

const now = Date.UTC(2026, 10, 21, 12);
const block = { startedAt: now - 60_000, endsAt: now + 3_600_000, clockUncertaintyMs: 0, maxJitterMs: 0 };
const entryAt = (seenAt: number, change: Partial<QuotaState> = {}) => ({ ...emptyQuotaState, seenAt, ...change });

test('a merge keeps the block of the older state', () => {
  const newer = entryAt(now - 1);
  const older = entryAt(now - 60_000, { block });
  for (const merged of [mergeQuotaStates(newer, older, now), mergeQuotaStates(older, newer, now)]) {
    expect(merged.block).toEqual(block);
  }
});
