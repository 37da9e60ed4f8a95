import type { PetRecord } from '../../../api/pet.js';
import { formatExactNumber, formatJson } from '../../../format/json.js';

/** The pets of one round, by their ids. */
export interface Round {
  readonly pets: ReadonlyMap<string, PetRecord>;
  /** There are no others. */
  readonly isWhole: boolean;
}

/** What is not the same any more. */
export interface Change {
  readonly event: 'added' | 'removed' | 'changed';
  readonly pet: PetRecord;
  /** As it was. */
  readonly before?: PetRecord;
}

export function roundOf(pets: readonly PetRecord[], isWhole: boolean): Round {
  return { pets: new Map(pets.map((pet) => [keyOf(pet), pet])), isWhole };
}

/**
 * What came, went and changed between two rounds. Where one of them was cut off, pets beyond its end are not known to
 * have come or gone: they may have been there, and may still be.
 */
export function compare(before: Round, now: Round): readonly Change[] {
  const wasSeen = within(before);
  const isSeen = within(now);
  const news = [...now.pets].flatMap(([key, pet]): readonly Change[] => {
    const old = before.pets.get(key);
    if (!old) return wasSeen(pet) ? [{ event: 'added', pet }] : [];
    return isSame(old, pet) ? [] : [{ event: 'changed', pet, before: old }];
  });
  const gone = [...before.pets]
    .filter(([key, pet]) => !now.pets.has(key) && isSeen(pet))
    .map(([, pet]): Change => ({ event: 'removed', pet }));
  return [...gone, ...news];
}

/** Whether a round would show a pet, if it were there. */
function within({ pets, isWhole }: Round): (pet: PetRecord) => boolean {
  if (isWhole) return () => true;
  const ids = [...pets.values()].map(orderOf);
  return (pet) => ids.some((id) => id >= orderOf(pet));
}

function orderOf({ id }: PetRecord): bigint {
  const digits = formatExactNumber(id);
  return digits !== undefined && /^-?\d+$/.test(digits) ? BigInt(digits) : 0n;
}

/** A pet without an id is known by all that it is. */
function keyOf(pet: PetRecord): string {
  return formatExactNumber(pet.id) ?? contentOf(pet);
}

function isSame(one: PetRecord, other: PetRecord): boolean {
  return contentOf(one) === contentOf(other);
}

function contentOf(pet: PetRecord): string {
  return formatJson(Object.fromEntries(Object.entries(pet).sort(([a], [b]) => (a < b ? -1 : 1))));
}
