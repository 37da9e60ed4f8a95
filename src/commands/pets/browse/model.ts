import { type PetRecord, type PetStatus, petStatuses } from '../../../api/pet.js';
import type { Quota } from '../../../api/rate-limit-headers.js';
import type { PetPage } from '../fetch-pets.js';
import { formatPetId, getVisiblePets, type SortOrder } from './visible-pets.js';

/** Which pets the screen lists. */
export type StatusFilter = PetStatus | 'all';

export const statusFilters: readonly StatusFilter[] = ['all', ...petStatuses];

/** A request that waits. */
interface Wait {
  /** In milliseconds since the Unix epoch. */
  readonly until: number;
  /** Such as `for the quota`. */
  readonly reason: string;
}

/** Shown until the next key. */
export interface Message {
  readonly text: string;
  /** What to do about it. */
  readonly hint?: string | undefined;
  /** Missing if the message is only information. */
  readonly severity?: 'error' | 'warning';
  /** When a retry makes sense, in milliseconds since the Unix epoch. */
  readonly retryAt?: number | undefined;
}

/** Everything that the screen shows, apart from its size and the time, and what the session has to do. */
export interface BrowseState {
  /** Whether pets cannot be added. */
  readonly isReadOnly: boolean;
  readonly status: StatusFilter;
  /** The number of the list: with another number, the session starts at the first page. */
  readonly list: number;
  /** The pets that are loaded, in the order of the service. */
  readonly pets: readonly PetRecord[];
  /** Whether the service has more pets; undefined before the first page. */
  readonly hasMore?: PetPage['hasMore'] | undefined;
  /** What the session loads: the next page, every page that is left, or nothing. */
  readonly loading?: 'page' | 'all' | undefined;
  /** The filter. With an empty one, every character is text, even if it is a shortcut elsewhere. */
  readonly search?: string | undefined;
  readonly sort: SortOrder;
  readonly view: 'list' | 'details' | 'help';
  /** The id of the selected pet. Undefined or not visible: the first pet is selected. */
  readonly selectedId?: string | undefined;
  /** The index to select when the next page arrives, unless a key is pressed before. */
  readonly target?: number | undefined;
  /** Lines of the details or the help above the top of the screen. */
  readonly scrollOffset: number;
  readonly wait?: Wait | undefined;
  readonly message?: Message | undefined;
  readonly quota: Quota;
  /** What the last key asks for. */
  readonly request?: 'add' | 'copyId' | 'quit' | undefined;
}

/** Returns the initial state, which loads the first page. */
export function initialize(quota: Quota, isReadOnly = false): BrowseState {
  const none = { list: 0, pets: [], sort: 'id', view: 'list', scrollOffset: 0 } as const;
  return startList({ ...none, isReadOnly, quota, status: 'all' }, 'all');
}

/** Returns the state that loads the pets with a status. */
export function startList(state: BrowseState, status: StatusFilter): BrowseState {
  return { ...reload(state), status, pets: [], hasMore: undefined, selectedId: undefined };
}

/** Returns the state that loads the list again. The pets stay until the first page arrives. */
export function reload(state: BrowseState): BrowseState {
  return { ...state, list: state.list + 1, loading: 'page', target: undefined, view: 'list', scrollOffset: 0 };
}

/** Adds a page that has arrived. */
export function addPage(state: BrowseState, { pets: page, hasMore }: PetPage, isFirst: boolean): BrowseState {
  // A reload replaces the list; a new list has only a pet that was created before.
  const pets = isFirst && state.hasMore !== undefined ? page : mergePets(state.pets, page);
  const loading = state.loading === 'all' && hasMore === 'yes' ? 'all' : undefined;
  const next = { ...state, pets, hasMore, loading, target: loading && state.target } as const;
  return state.target === undefined ? next : select(next, state.target);
}

/** Returns pets with those of a page, which replace pets with the same id. */
function mergePets(pets: readonly PetRecord[], page: readonly PetRecord[]): readonly PetRecord[] {
  const ids = new Set(page.filter(({ id }) => id !== undefined).map(formatPetId));
  return [...pets.filter((pet) => !ids.has(formatPetId(pet))), ...page];
}

/** Adds a created pet and selects it. The filter ends, and so does a status that does not match the pet. */
export function addCreatedPet(state: BrowseState, pet: PetRecord): BrowseState {
  const isListed = state.status === 'all' || state.status === pet.status;
  const list = isListed ? state : startList(state, 'all');
  const id = formatPetId(pet);
  return {
    ...list,
    pets: mergePets(list.pets, [pet]),
    search: undefined,
    view: 'list',
    selectedId: id,
    message: { text: `✓ Added ${pet.name} (id ${id})` },
  };
}

/** Returns the index of the selected pet among the visible ones; 0 if there are none. */
export function getSelectedIndex(state: BrowseState): number {
  return Math.max(
    0,
    getVisiblePets(state).findIndex((pet) => formatPetId(pet) === state.selectedId),
  );
}

/** Selects the visible pet whose index is nearest. */
export function select(state: BrowseState, index: number): BrowseState {
  const pets = getVisiblePets(state);
  const pet = pets[clamp(index, pets.length - 1)];
  return { ...state, selectedId: pet && formatPetId(pet) };
}

/** Returns the integer between 0 and `max` that is nearest to the value; 0 if `max` is negative. */
export function clamp(value: number, max: number): number {
  return Math.max(0, Math.min(value, max));
}
