import { expect, test } from 'vitest';
import type { PetRecord } from '../../../../src/api/pet.js';
import { compareSnapshots, createSnapshot, type Snapshot } from '../../../../src/commands/pets/watch/compare.js';
import { parseJson } from '../../../../src/format/json.js';

const status = 'available';
const ada = { id: 1, name: 'Ada', status };
const balu = { id: 2, name: 'Balu' };
const cleo = { id: 3, name: 'Cleo' };

const list = (...pets: readonly PetRecord[]) => createSnapshot({ pets, isComplete: true });
const part = (...pets: readonly PetRecord[]) => createSnapshot({ pets, isComplete: false });

test.each<[string, Snapshot, Snapshot, readonly string[]]>([
  ['no change', list(ada), list(ada), []],
  ['no change in another order of keys', list(ada), list({ status, name: 'Ada', id: 1 }), []],
  ['an added pet', list(ada), list(ada, balu), ['added Balu']],
  ['a removed pet', list(ada, balu), list(balu), ['removed Ada']],
  ['a changed pet', list(ada), list({ ...ada, status: 'sold' }), ['changed Ada from available']],
  ['no pet added beyond the end of a part', part(ada, balu), part(ada, balu, cleo), []],
  ['no pet removed beyond the end of a part', part(ada, cleo), part(ada, balu), ['added Balu']],
  ['a pet removed within a part', part(ada, balu, cleo), part(ada, cleo), ['removed Balu']],
])('compareSnapshots finds %s', (_, before, after, changes) => {
  expect(
    compareSnapshots(before, after).map(
      ({ event, pet, before: old }) => `${event} ${pet.name}${old ? ` from ${old.status}` : ''}`,
    ),
  ).toEqual(changes);
});

test('compareSnapshots compares all digits of 64-bit ids', () => {
  const [one, other] = ['9223372036854775806', '9223372036854775807'].map(
    (id) => parseJson(new TextEncoder().encode(`{"id":${id}}`)) as PetRecord,
  ) as [PetRecord, PetRecord];
  expect(compareSnapshots(list(one), list(other))).toHaveLength(2);
});
