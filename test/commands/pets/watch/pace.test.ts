import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Change, compare, roundOf } from '../../../../src/commands/pets/watch/compare.js';
import { type Allowance, paceAfter } from '../../../../src/commands/pets/watch/pace.js';
import { lineOf } from '../../../../src/commands/pets/watch/words.js';
import type { PetRecord } from '../../../../src/contract/pet.js';
import type { Window } from '../../../../src/ports/ledger.js';
import { parseJson } from '../../../../src/text/json.js';

const second = 1_000;

function windowOf(remaining: number, until: number, limit = 60): Window {
  return { limit, remaining, since: 0, until, doubt: 0 };
}

describe('the pace', () => {
  test.each<[string, readonly Window[], number, number]>([
    ['the period where nothing is known', [], 1, 5 * second],
    ['the period where that is half or less', [windowOf(59, 60 * second)], 1, 5 * second],
    ['slower where half of what is left is little', [windowOf(9, 60 * second)], 1, 15 * second],
    ['until the reset where nothing is left to use', [windowOf(1, 60 * second)], 1, 60 * second],
    ['slower for rounds of many requests', [windowOf(60, 60 * second)], 10, 20 * second],
    [
      'as slow as the slowest window wants it',
      [windowOf(59, 60 * second), windowOf(200, 20_000 * second, 1_000)],
      1,
      200 * second,
    ],
    ['the period after a window that is over', [windowOf(0, 0)], 1, 5 * second],
  ])('is %s', (_, windows, spent, pause) => {
    expect(paceAfter([], windows, { now: 0, spent, period: 5 * second }).pause).toBe(pause);
  });

  test('uses at most half of what was left at first, whatever the limits and rounds', () => {
    const numbers = fc.record({
      remaining: fc.integer({ min: 0, max: 2_000 }),
      length: fc.integer({ min: 1, max: 86_400 }).map((seconds) => seconds * second),
      spent: fc.integer({ min: 1, max: 20 }),
      period: fc.integer({ min: 1, max: 600 }).map((seconds) => seconds * second),
      others: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(numbers, ({ remaining, length, spent, period, others }) => {
        let now = 0;
        let left = remaining;
        let used = 0;
        let allowances: readonly Allowance[] = [];
        for (;;) {
          const windows = [windowOf(left, length, 5_000)];
          const pace = paceAfter(allowances, windows, { now, spent, period });
          now += pace.pause;
          if (now >= length) break;
          allowances = pace.allowances;
          const half = left / 2;
          expect(spent).toBeLessThanOrEqual(half);
          used += spent;
          left = Math.max(0, left - spent - others);
        }
        expect(used).toBeLessThanOrEqual(remaining / 2);
      }),
      { numRuns: 300 },
    );
  });
});

const ada = { id: 1, name: 'Ada', status: 'available' };
const balu = { id: 2, name: 'Balu' };
const cleo = { id: 3, name: 'Cleo' };
const sold = { ...ada, status: 'sold' };

describe('rounds are compared', () => {
  const whole = (...pets: readonly PetRecord[]) => roundOf(pets, true);
  const part = (...pets: readonly PetRecord[]) => roundOf(pets, false);
  test.each<[string, ReturnType<typeof whole>, ReturnType<typeof whole>, readonly Change[]]>([
    ['nothing', whole(ada), whole(ada), []],
    ['another order of keys', whole(ada), whole({ status: 'available', name: 'Ada', id: 1 }), []],
    ['a pet that came', whole(ada), whole(ada, balu), [{ event: 'added', pet: balu }]],
    ['a pet that went', whole(ada, balu), whole(balu), [{ event: 'removed', pet: ada }]],
    ['a change', whole(ada), whole(sold), [{ event: 'changed', pet: sold, before: ada }]],
    ['beyond the end of a part nothing came', part(ada, balu), part(ada, balu, cleo), []],
    [
      'beyond the end of a part nothing went',
      part(ada, cleo),
      part(ada, balu),
      [{ event: 'added', pet: balu }],
    ],
    [
      'within a part a pet went',
      part(ada, balu, cleo),
      part(ada, cleo),
      [{ event: 'removed', pet: balu }],
    ],
  ])('%s', (_, before, now, changes) => {
    expect(compare(before, now)).toEqual(changes);
  });

  test('by ids of 64 bits, digit by digit', () => {
    const [one, other] = ['9223372036854775806', '9223372036854775807'].map(
      (id) => parseJson(new TextEncoder().encode(`{"id":${id}}`)) as PetRecord,
    ) as [PetRecord, PetRecord];
    expect(compare(whole(one), whole(other))).toHaveLength(2);
  });
});

test.each<[string, Change, Parameters<typeof lineOf>[1], readonly string[] | undefined, string]>([
  ['came', { event: 'added', pet: ada }, 'table', undefined, '+ 1 Ada available\n'],
  ['went', { event: 'removed', pet: balu }, 'table', undefined, '- 2 Balu -\n'],
  [
    'changed',
    { event: 'changed', pet: sold, before: ada },
    'table',
    undefined,
    '~ 1 Ada sold; status was available\n',
  ],
  ['came, by fields', { event: 'added', pet: ada }, 'table', ['name', 'id'], '+ Ada 1\n'],
  [
    'came with a hostile name',
    { event: 'added', pet: { id: 1, name: 'A\n+ 2 B' } },
    'table',
    undefined,
    '+ 1 A\\u000a+ 2 B -\n',
  ],
  [
    'changed, as NDJSON',
    { event: 'changed', pet: sold, before: ada },
    'ndjson',
    ['status'],
    '{"event":"changed","pet":{"status":"sold"},"before":{"status":"available"}}\n',
  ],
])('a pet that %s is one line', (_, change, format, fields, line) => {
  expect(lineOf(change, format, fields)).toBe(line);
});
