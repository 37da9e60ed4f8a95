import { describe, expect, test } from 'vitest';
import type { PetRecord } from '../../../../src/api/pet.js';
import {
  type Change,
  compareSnapshots,
  createSnapshot,
} from '../../../../src/commands/pets/watch/compare.js';
import { parseJson } from '../../../../src/format/json.js';

const ada = { id: 1, name: 'Ada', status: 'available' };
const balu = { id: 2, name: 'Balu' };
const cleo = { id: 3, name: 'Cleo' };
const sold = { ...ada, status: 'sold' };

describe('compareSnapshots', () => {
  const complete = (...pets: readonly PetRecord[]) => createSnapshot(pets, true);
  const partial = (...pets: readonly PetRecord[]) => createSnapshot(pets, false);
  test.each<[string, ReturnType<typeof complete>, ReturnType<typeof complete>, readonly Change[]]>([
    ['finds no change', complete(ada), complete(ada), []],
    [
      'ignores the order of keys',
      complete(ada),
      complete({ status: 'available', name: 'Ada', id: 1 }),
      [],
    ],
    ['finds an added pet', complete(ada), complete(ada, balu), [{ event: 'added', pet: balu }]],
    ['finds a removed pet', complete(ada, balu), complete(balu), [{ event: 'removed', pet: ada }]],
    [
      'finds a changed pet',
      complete(ada),
      complete(sold),
      [{ event: 'changed', pet: sold, before: ada }],
    ],
    [
      'ignores pets added beyond the end of an incomplete list',
      partial(ada, balu),
      partial(ada, balu, cleo),
      [],
    ],
    [
      'ignores pets removed beyond the end of an incomplete list',
      partial(ada, cleo),
      partial(ada, balu),
      [{ event: 'added', pet: balu }],
    ],
    [
      'finds a pet removed within an incomplete list',
      partial(ada, balu, cleo),
      partial(ada, cleo),
      [{ event: 'removed', pet: balu }],
    ],
  ])('%s', (_, before, now, changes) => {
    expect(compareSnapshots(before, now)).toEqual(changes);
  });

  test('compares all digits of 64-bit ids', () => {
    const [one, other] = ['9223372036854775806', '9223372036854775807'].map(
      (id) => parseJson(new TextEncoder().encode(`{"id":${id}}`)) as PetRecord,
    ) as [PetRecord, PetRecord];
    expect(compareSnapshots(complete(one), complete(other))).toHaveLength(2);
  });
});
