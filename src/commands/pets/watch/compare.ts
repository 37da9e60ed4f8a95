import type { PetRecord } from '../../../api/pet.js';
import { formatExactNumber, formatJson } from '../../../format/json.js';

/** The pets at one time, by id. */
export interface Snapshot {
  readonly pets: ReadonlyMap<string, PetRecord>;
  /** Whether the service has no other pets. */
  readonly isComplete: boolean;
}

export interface Change {
  readonly event: 'added' | 'removed' | 'changed';
  readonly pet: PetRecord;
  readonly before?: PetRecord;
}

export function createSnapshot({
  pets,
  isComplete,
}: {
  readonly pets: readonly PetRecord[];
  readonly isComplete: boolean;
}): Snapshot {
  return { pets: new Map(pets.map((pet) => [getIdentity(pet), pet])), isComplete };
}

/** Returns the removed pets, then the added and changed ones. Ignores pets beyond the end of an incomplete list. */
export function compareSnapshots(before: Snapshot, after: Snapshot): readonly Change[] {
  const wasCovered = createCoverageTest(before);
  const isCovered = createCoverageTest(after);
  const changes = [...after.pets].flatMap(([id, pet]): readonly Change[] => {
    const old = before.pets.get(id);
    if (!old) return wasCovered(pet) ? [{ event: 'added', pet }] : [];
    const isSame = serialize(old) === serialize(pet);
    return isSame ? [] : [{ event: 'changed', pet, before: old }];
  });
  const removed = [...before.pets]
    .filter(([id, pet]) => !after.pets.has(id) && isCovered(pet))
    .map(([, pet]): Change => ({ event: 'removed', pet }));
  return [...removed, ...changes];
}

/** Returns a test of whether the snapshot would contain a pet if the service had it. */
function createCoverageTest({ pets, isComplete }: Snapshot): (pet: PetRecord) => boolean {
  if (isComplete) return () => true;
  const ids = [...pets.values()].map(parseId);
  return (pet) => ids.some((id) => id >= parseId(pet));
}

/** Returns the id; 0 unless it is an integer. */
function parseId({ id }: PetRecord): bigint {
  const digits = formatExactNumber(id) ?? '';
  return /^-?\d+$/.test(digits) ? BigInt(digits) : 0n;
}

/** Returns the id; the whole content of a pet without an id. */
function getIdentity(pet: PetRecord): string {
  return formatExactNumber(pet.id) ?? serialize(pet);
}

function serialize(pet: PetRecord): string {
  return formatJson(Object.fromEntries(Object.entries(pet).sort(([a], [b]) => (a < b ? -1 : 1))));
}
