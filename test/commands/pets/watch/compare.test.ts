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

describe('rounds are compared', () => {
  const whole = (...pets: readonly PetRecord[]) => createSnapshot(pets, true);
  const part = (...pets: readonly PetRecord[]) => createSnapshot(pets, false);
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
    expect(compareSnapshots(before, now)).toEqual(changes);
  });

  test('by ids of 64 bits, digit by digit', () => {
    const [one, other] = ['9223372036854775806', '9223372036854775807'].map(
      (id) => parseJson(new TextEncoder().encode(`{"id":${id}}`)) as PetRecord,
    ) as [PetRecord, PetRecord];
    expect(compareSnapshots(whole(one), whole(other))).toHaveLength(2);
  });
});
