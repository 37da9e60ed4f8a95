import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/local/clock.js';
import { openLedger } from '../../src/local/ledger.js';
import { temporaryDirectory } from '../support/petstore.js';

function newLedger(directory = join(temporaryDirectory(), 'quota')) {
  const troubles: unknown[] = [];
  const holder = { pid: 1, host: 'here', lives: () => true };
  const ledger = openLedger(directory, { clock: systemClock, holder }, (error) =>
    troubles.push(error),
  );
  return { directory, ledger, troubles };
}

const quota = { limit: 60, remaining: 10, resetAt: 90_000 };

test('what was recorded is found again, for its account alone', async () => {
  const { ledger, directory } = newLedger();
  await ledger.record('a', { quota, seenAt: 1 });
  expect(ledger.find('a')).toEqual({ quota, seenAt: 1 });
  expect(ledger.find('b')).toBeUndefined();
  expect(readdirSync(directory)).toEqual(['a.json']);
  expect(statSync(join(directory, 'a.json')).mode & 0o777).toBe(0o600);
});

test.each([
  ['within a window the lower count holds', { ...quota, remaining: 12 }, 10],
  ['a lower count is taken', { ...quota, remaining: 9 }, 9],
  ['another window starts afresh', { ...quota, remaining: 59, resetAt: 150_000 }, 59],
  ['another limit is another window', { limit: 1000, remaining: 900, resetAt: 90_000 }, 900],
])('%s', async (_, later, remaining) => {
  const { ledger } = newLedger();
  await ledger.record('a', { quota, seenAt: 1 });
  await ledger.record('a', { quota: later, seenAt: 2 });
  expect(ledger.find('a')?.quota.remaining).toBe(remaining);
});

test('parallel records lose nothing', async () => {
  const { ledger } = newLedger();
  const counts = Array.from({ length: 20 }, (_, index) => 40 - index);
  await Promise.all(
    counts.map((remaining) => ledger.record('a', { quota: { ...quota, remaining }, seenAt: 1 })),
  );
  expect(ledger.find('a')?.quota.remaining).toBe(21);
});

test.each(['', '{', 'null', '{"quota":null}', '{"quota":{"remaining":"x"},"seenAt":"y"}'])(
  'a damaged file (%j) is like none, and is replaced',
  async (content) => {
    const { ledger, directory, troubles } = newLedger();
    await ledger.record('a', { quota, seenAt: 1 });
    writeFileSync(join(directory, 'a.json'), content);
    expect(ledger.find('a')).toBeUndefined();
    await ledger.record('a', { quota, seenAt: 2 });
    expect(ledger.find('a')).toEqual({ quota, seenAt: 2 });
    expect(troubles).toEqual([]);
  },
);

test('a directory that cannot be made is told, not thrown', async () => {
  const file = join(temporaryDirectory(), 'file');
  writeFileSync(file, '');
  const { ledger, troubles } = newLedger(join(file, 'quota'));
  await ledger.record('a', { quota, seenAt: 1 });
  expect(troubles).toHaveLength(1);
  expect(ledger.find('a')).toBeUndefined();
});
