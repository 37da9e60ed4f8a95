import { listLimit, type PetRecord, type PetStatus, petStatuses } from '../../../api/pet.js';
import { formatExactNumber } from '../../../format/json.js';

/** Which pets are looked at: all, or those with one status. */
export type Choice = PetStatus | 'all';

export const choices: readonly Choice[] = ['all', ...petStatuses];

/** What was read of the pets of one choice. */
export interface Shelf {
  readonly pets: readonly PetRecord[];
  /** Added here, and on no page that was read since. */
  readonly added: readonly PetRecord[];
  /** No page follows. */
  readonly isWhole: boolean;
  /** That is known: not as many pets came as one request may bring, or pages were linked. */
  readonly isSure: boolean;
  /** When the first of its pages was read, in milliseconds since the Unix epoch. */
  readonly readAt: number;
}

export type Shelves = Readonly<Partial<Record<Choice, Shelf>>>;

/** One page as it came. */
export interface Page {
  readonly pets: readonly PetRecord[];
  readonly hasNext: boolean;
  readonly at: number;
}

function isComplete(shelf: Shelf | undefined): shelf is Shelf {
  return shelf?.isWhole === true && shelf.isSure;
}

/** What is kept of a choice; of a status also what all pets tell, where all were read. */
export function shelfOf(shelves: Shelves, choice: Choice): Shelf | undefined {
  const own = shelves[choice];
  if (own || choice === 'all' || !isComplete(shelves.all)) return own;
  const has = ({ status }: PetRecord) => status === choice;
  const { pets, added, ...rest } = shelves.all;
  return { ...rest, pets: pets.filter(has), added: added.filter(has) };
}

/** The choice whose pages a refresh reads again. */
export function sourceOf(shelves: Shelves, choice: Choice): Choice {
  return shelves[choice] || !isComplete(shelves.all) ? choice : 'all';
}

/** The shelf with a page more, or with that page alone where it is read `anew`. */
export function withPage(shelf: Shelf | undefined, page: Page, anew: boolean): Shelf {
  const { pets, hasNext, at } = page;
  if (!shelf || anew) {
    const isSure = hasNext || pets.length < listLimit.maximum;
    return { pets, added: [], isWhole: !hasNext, isSure, readAt: at };
  }
  const came = new Set(pets.map(idOf));
  return {
    pets: [...shelf.pets, ...pets],
    added: shelf.added.filter((pet) => !came.has(idOf(pet))),
    isWhole: !hasNext,
    isSure: true,
    readAt: shelf.readAt,
  };
}

/** The shelves with a pet that was added, wherever it belongs and something was read. */
export function withAdded(shelves: Shelves, pet: PetRecord): Shelves {
  const changed = choices.flatMap((choice) => {
    const shelf = shelves[choice];
    if (!shelf || (choice !== 'all' && choice !== pet.status)) return [];
    return [[choice, { ...shelf, added: [...shelf.added, pet] }]];
  });
  return { ...shelves, ...Object.fromEntries(changed) };
}

/** The pets whose id or name holds the text, whatever its case. */
export function matching(shelf: Shelf | undefined, filter: string): readonly PetRecord[] {
  const pets = shelf ? [...shelf.pets, ...shelf.added] : [];
  const wanted = filter.trim().toLowerCase();
  if (wanted === '') return pets;
  return pets.filter((pet) => `${idOf(pet)} ${pet.name}`.toLowerCase().includes(wanted));
}

/** The digits of a pet's id, or what stands in their place. */
export function idOf({ id }: PetRecord): string {
  return formatExactNumber(id) ?? String(id ?? '-');
}
