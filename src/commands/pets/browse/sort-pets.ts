import { type PetRecord, type PetStatus, petStatuses } from '../../../api/pet.js';
import { formatPetId } from './page-cache.js';

/** The orders of the list; Ctrl-S selects the next one. */
export const sortOrders = ['id', 'name', 'status'] as const;
export type SortOrder = (typeof sortOrders)[number];

/** Returns the pets in this order; equal ones by id. */
export function sortPets(pets: readonly PetRecord[], order: SortOrder): readonly PetRecord[] {
  const keyed = pets.map((pet) => ({ pet, id: formatPetId(pet), name: String(pet.name), rank: rankStatus(pet) }));
  const isSorted = keyed.every((pet, index) => index === 0 || compareIds(keyed[index - 1]?.id ?? '', pet.id) <= 0);
  if (!isSorted) keyed.sort((a, b) => compareIds(a.id, b.id));
  // Sorting is stable, so that the order by id remains among equal pets.
  if (order === 'name') keyed.sort((a, b) => collator.compare(a.name, b.name));
  if (order === 'status') keyed.sort((a, b) => a.rank - b.rank);
  return keyed.map(({ pet }) => pet);
}

const collator = new Intl.Collator(undefined, { numeric: true });

/** Compares integers by their digits, since 64 bits do not fit a number. Anything else comes last. */
function compareIds(a: string, b: string): number {
  const [one, other] = [a, b].map((id) => (/^-?\d+$/.test(id) ? id : undefined));
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
  if (one.startsWith('-') || other.startsWith('-')) return BigInt(one) < BigInt(other) ? -1 : Number(one !== other);
  // Much faster than BigInt.
  return one.length - other.length || (one < other ? -1 : Number(one !== other));
}

function rankStatus({ status }: PetRecord): number {
  const rank = petStatuses.indexOf(status as PetStatus);
  return rank === -1 ? petStatuses.length : rank;
}
