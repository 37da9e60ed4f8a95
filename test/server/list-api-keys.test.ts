import { describe, expect, test } from 'vitest';
import { plans } from '../../src/api/plan.js';
import { type ApiKeyRecord, addApiKey, findApiKey, updateLimitsStatement } from '../../src/server/api-keys.js';
import { rotateApiKey } from '../../src/server/change-api-keys.js';
import { listApiKeys } from '../../src/server/list-api-keys.js';
import { countRequest, keySubject } from '../../src/server/rate-limits.js';
import { openTestDatabase } from '../support/test-database.js';

const now = Date.UTC(2026, 10, 21, 12);

describe('the list of keys', () => {
  test('has plan, label and creation time, oldest key first', async () => {
    const database = await openTestDatabase({ empty: true });
    await addApiKey(database, 'pets_later_key', plans.pro, now + 1, { label: 'ci' });
    await addApiKey(database, 'pets_first_key', { perMinute: 5, perDay: 7 }, now);
    const listed = await listApiKeys(database, now);
    expect(listed.map(({ prefix, plan, label, createdAt }) => ({ prefix, plan, label, createdAt }))).toEqual([
      { prefix: 'pet', plan: 'enterprise', label: undefined, createdAt: now },
      { prefix: 'pet', plan: 'pro', label: 'ci', createdAt: now + 1 },
    ]);
  });

  test('has the chosen plan even if its limits are those of another', async () => {
    const database = await openTestDatabase({ empty: true });
    await addApiKey(database, 'pets_first_key', plans.free, now, { plan: 'enterprise' });
    expect((await listApiKeys(database, now))[0]?.plan).toBe('enterprise');
    await database.write(
      updateLimitsStatement((await findApiKey(database, 'pets_first_key')) as ApiKeyRecord, plans.pro),
    );
    expect((await listApiKeys(database, now))[0]?.plan).toBe('pro');
  });

  test('has the remaining quota and the end of a ban', async () => {
    const database = await openTestDatabase({ empty: true });
    const limits = { perMinute: 2, perDay: 10 };
    const idle = await addApiKey(database, 'pets_first_key', limits, now);
    const busy = await addApiKey(database, 'pets_second_key', limits, now + 1);
    for (let sent = 0; sent < 12; sent += 1) await countRequest(database, keySubject(busy.owner, limits), now);
    const [first, second] = await listApiKeys(database, now + 1_000);
    expect(first).toEqual({
      ...idle,
      plan: 'enterprise',
      label: undefined,
      createdAt: now,
      successor: undefined,
      minute: { limit: 2, remaining: 2, resetAt: now + 61_000 },
      day: { limit: 10, remaining: 10, resetAt: now + 86_401_000 },
      bannedUntil: undefined,
    });
    expect(second).toMatchObject({
      minute: { limit: 2, remaining: 0, resetAt: now + 60_000 },
      day: { limit: 10, remaining: 8, resetAt: now + 86_400_000 },
      bannedUntil: now + 300_000,
    });
    const [, later] = await listApiKeys(database, now + 300_000);
    expect(later).toMatchObject({ minute: { remaining: 2 }, bannedUntil: undefined });
  });

  test('takes one query', async () => {
    const database = await openTestDatabase({ empty: true });
    for (const key of ['pets_first_key', 'pets_second_key']) await addApiKey(database, key, plans.free, now);
    let reads = 0;
    const read: typeof database.read = (...parameters) => {
      reads += 1;
      return database.read(...parameters);
    };
    expect(await listApiKeys({ ...database, read }, now)).toHaveLength(2);
    expect(reads).toBe(1);
  });

  test('has the successor of a rotated key, which shares its quota', async () => {
    const database = await openTestDatabase({ empty: true });
    const key = await addApiKey(database, 'pets_first_key', plans.free, now, { label: 'ci' });
    await countRequest(database, keySubject(key.owner, plans.free), now);
    const successor = 'pets_second_key_of_fifty_characters';
    await rotateApiKey(database, { ...key, label: 'ci' }, { key: successor, overlapMs: 5_000, now: now + 1 });
    expect(await listApiKeys(database, now + 2)).toMatchObject([
      { label: undefined, successor: successor.slice(0, 8), expiresAt: now + 5_001, minute: { remaining: 59 } },
      { label: 'ci', successor: undefined, expiresAt: undefined, minute: { remaining: 59 }, createdAt: now + 1 },
    ]);
  });
});
