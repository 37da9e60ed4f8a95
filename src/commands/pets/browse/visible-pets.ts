import { type PetRecord, type PetStatus, petStatuses } from '../../../api/pet.js';
import { matchesFilter, splitFilter } from '../../../format/fold-text.js';
import { type BrowseState, formatPetId, type SortOrder } from './state.js';

type ListState = Pick<BrowseState, 'pets' | 'search' | 'sort'>;

/** The last result for each list: every drawing and every key asks for it. */
const lastResults = new WeakMap<readonly PetRecord[], { readonly key: string; readonly pets: readonly PetRecord[] }>();

/** Returns the loaded pets whose id or name contains each word of the filter, in the chosen order. Ignores case and accents. */
export function getVisiblePets({ pets, search, sort }: ListState): readonly PetRecord[] {
  const words = splitFilter(search);
  const key = [sort, ...words].join(' ');
  const lastResult = lastResults.get(pets);
  if (lastResult?.key === key) return lastResult.pets;
  const matches = (pet: PetRecord) => matchesFilter(`${formatPetId(pet)} ${pet.name}`, words);
  const visible = sortPets(words.length === 0 ? pets : pets.filter(matches), sort);
  lastResults.set(pets, { key, pets: visible });
  return visible;
}

/** Returns the pets in this order; equal ones by id. */
function sortPets(pets: readonly PetRecord[], order: SortOrder): readonly PetRecord[] {
  const keyed = pets.map((pet) => ({ pet, id: formatPetId(pet), name: String(pet.name), rank: rankStatus(pet) }));
  keyed.sort((a, b) => compareIds(a.id, b.id));
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
