import { type PetRecord, type PetStatus, petStatuses } from '../../../api/pet.js';
import { matchesFilter, splitFilter } from '../../../format/fold-text.js';
import { formatExactNumber } from '../../../format/json.js';

/** The orders of the list; Ctrl-S selects the next one. */
export const sortOrders = ['id', 'name', 'status'] as const;
export type SortOrder = (typeof sortOrders)[number];

interface PetList {
  readonly pets: readonly PetRecord[];
  readonly search?: string | undefined;
  readonly sort: SortOrder;
}

/** Returns the digits of a pet's id, or `-` if it has none. */
export function formatPetId({ id }: PetRecord): string {
  return formatExactNumber(id) ?? String(id ?? '-');
}

/** The last result for each list: every drawing and every key asks for it. */
const lastResults = new WeakMap<readonly PetRecord[], { readonly key: string; readonly pets: readonly PetRecord[] }>();

/** Returns the loaded pets whose id or name contains each word of the filter, in the chosen order. Ignores case and accents. */
export function getVisiblePets({ pets, search = '', sort }: PetList): readonly PetRecord[] {
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
  const keyed = pets.map((pet) => ({ pet, id: rankId(pet), name: String(pet.name), status: rankStatus(pet) }));
  keyed.sort((a, b) => (a.id < b.id ? -1 : Number(a.id > b.id)));
  // Sorting is stable, so that the order by id remains among equal pets.
  if (order === 'name') keyed.sort((a, b) => collator.compare(a.name, b.name));
  if (order === 'status') keyed.sort((a, b) => a.status - b.status);
  return keyed.map(({ pet }) => pet);
}

const collator = new Intl.Collator(undefined, { numeric: true });

/** Returns the id, which may need 64 bits. Anything but an integer comes last. */
function rankId(pet: PetRecord): bigint {
  const id = formatPetId(pet);
  return /^-?\d+$/.test(id) ? BigInt(id) : 2n ** 64n;
}

function rankStatus({ status }: PetRecord): number {
  const rank = petStatuses.indexOf(status as PetStatus);
  return rank === -1 ? petStatuses.length : rank;
}
