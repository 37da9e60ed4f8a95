import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PetRecord } from '../../../src/api/pet.js';
import {
  type FirstPage,
  mergeById,
  mergeFirstPages,
  type PetPages,
} from '../../../src/commands/pets/merge-statuses.js';
import { formatExactNumber, toExactNumber } from '../../../src/format/json.js';

type Id = number | string | undefined;

const petOf = (id: Id): PetRecord => ({ id: typeof id === 'string' ? toExactNumber(id) : id });
const idOf = ({ id }: PetRecord) => formatExactNumber(id);

async function* toPages(pages: readonly (readonly Id[])[], isIncomplete = false): PetPages {
  for (const page of pages) yield page.map(petOf);
  return isIncomplete;
}

async function merge(...lists: readonly (readonly (readonly Id[])[])[]): Promise<readonly (string | undefined)[]> {
  const ids: (string | undefined)[] = [];
  for await (const batch of mergeById(lists.map((pages) => toPages(pages)))) ids.push(...batch.map(idOf));
  return ids;
}

test.each<[string, readonly (readonly (readonly Id[])[])[], readonly string[]]>([
  ['pages of different lengths', [[[1, 4], [6]], [[2, 3, 5, 7]]], ['1', '2', '3', '4', '5', '6', '7']],
  ['empty pages and lists', [[[], [2], []], [], [[]], [[1]]], ['1', '2']],
  ['a pet that moved to another list', [[[1, 5], [7]], [[5], [6]], [[5, 6]]], ['1', '5', '6', '7']],
  [
    'ids that do not fit a double',
    [[['9223372036854775806']], [['9223372036854775805', '9223372036854775807']]],
    ['9223372036854775805', '9223372036854775806', '9223372036854775807'],
  ],
  ['a list in another order', [[[9, 8], [2]], [[4, 5]]], ['4', '5', '9', '8', '2']],
  ['lists in another order that share a pet', [[[3, 2, 1]], [[4, 1, 3]]], ['3', '2', '1', '4']],
])('merges %s', async (_, lists, ids) => {
  expect(await merge(...lists)).toEqual(ids);
});

test('keeps the record that was fetched last of a pet that moved to another list', async () => {
  const pages = ['sold', 'pending'].map((status): FirstPage => ({ pets: [{ ...petOf(1), status }], hasMore: 'no' }));
  expect((await mergeFirstPages(pages, undefined)).pets).toEqual([{ id: 1, status: 'pending' }]);
});

test('yields every pet without an id', async () => {
  expect(await merge([[undefined, 2, undefined]], [[1, undefined]])).toEqual([
    undefined,
    '1',
    undefined,
    '2',
    undefined,
  ]);
});

test('yields each pet once, in ascending order if each list is', async () => {
  const ids = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 12 });
  const list = fc.array(ids, { maxLength: 4 });
  const sortPages = (pages: readonly (readonly number[])[]) => {
    const sorted = pages.flat().sort((a, b) => a - b);
    return pages.map((page, index) => {
      const start = pages.slice(0, index).flat().length;
      return sorted.slice(start, start + page.length);
    });
  };
  await fc.assert(
    fc.asyncProperty(fc.array(list, { maxLength: 3 }), fc.boolean(), async (lists, isSorted) => {
      const given = isSorted ? lists.map(sortPages) : lists;
      const expected = [...new Set(lists.flat(2))].sort((a, b) => a - b).map(String);
      const found = await merge(...given);
      // A list whose order changes late may repeat a pet of another list.
      if (isSorted) expect(found).toEqual(expected);
      else expect(new Set(found)).toEqual(new Set(expected));
    }),
    { numRuns: 200 },
  );
});

test('holds one page of each list', async () => {
  let fetched = 0;
  const endless = async function* (offset: number): PetPages {
    for (let page = 0; ; page += 1) {
      fetched += 1;
      yield Array.from({ length: 100 }, (_, index) => petOf((page * 100 + index) * 2 + offset));
    }
  };
  const merged = mergeById([endless(0), endless(1)]);
  for (let batches = 1; batches <= 20; batches += 1) {
    const { value = [] } = await merged.next();
    expect(Array.isArray(value) && value.length).toBeLessThanOrEqual(200);
    expect(fetched).toBeLessThanOrEqual(batches + 2);
  }
});

test('reports an incomplete list after the pets of all lists', async () => {
  const merged = mergeById([toPages([[1]], true), toPages([[2], [3]])]);
  const ids: (string | undefined)[] = [];
  for (;;) {
    const { done, value } = await merged.next();
    if (!done) ids.push(...value.map(idOf));
    else {
      expect(value).toBe(true);
      break;
    }
  }
  expect(ids).toEqual(['1', '2', '3']);
});

describe('a merged first page', () => {
  const page = (hasMore: FirstPage['hasMore'], ...ids: readonly Id[]): FirstPage => ({ pets: ids.map(petOf), hasMore });

  test.each<[string, readonly FirstPage[], number | undefined, readonly string[], FirstPage['hasMore']]>([
    ['contains complete pages', [page('no', 1, 9), page('no', 2)], undefined, ['1', '2', '9'], 'no'],
    ['ends with the first page that was cut', [page('yes', 1, 4), page('no', 2, 5)], undefined, ['1', '2', '4'], 'yes'],
    ['ends with a full page without a link', [page('perhaps', 1, 4), page('no', 5)], undefined, ['1', '4'], 'yes'],
    ['may be incomplete after a full page', [page('no', 1), page('perhaps', 4)], undefined, ['1', '4'], 'perhaps'],
    ['ends at the limit', [page('no', 1, 4), page('no', 2)], 2, ['1', '2'], 'yes'],
    ['is empty if a page with a link is', [page('yes'), page('no', 2)], undefined, [], 'yes'],
    [
      'compares all digits of ids',
      [page('yes', '9223372036854775806'), page('no', '9223372036854775807')],
      undefined,
      ['9223372036854775806'],
      'yes',
    ],
  ])('%s', async (_, pages, limit, ids, hasMore) => {
    const merged = await mergeFirstPages(pages, limit);
    expect({ ids: merged.pets.map(idOf), hasMore: merged.hasMore }).toEqual({ ids, hasMore });
  });
});
