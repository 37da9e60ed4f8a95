import type { PetRecord } from '../../api/pet.js';
import { RequestPreview } from '../../client/transport-error.js';
import { formatExactNumber } from '../../format/json.js';

/** The start of a list. */
export interface FirstPage {
  readonly pets: readonly PetRecord[];
  /** Whether the service has more pets; `perhaps` after a full page without a link to a next page. */
  readonly hasMore: 'no' | 'yes' | 'perhaps';
}

/** The pages of one list. The generator returns whether the list may be incomplete. */
export type PetPages = AsyncGenerator<readonly PetRecord[], boolean, undefined>;

/** Resolves to the result for each item. With `--curl`, throws one preview of all requests. */
export async function fetchEach<Item, Result>(
  items: readonly Item[],
  fetch: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const previews: string[] = [];
  for (const item of items) {
    try {
      results.push(await fetch(item));
    } catch (error) {
      if (!(error instanceof RequestPreview)) throw error;
      previews.push(error.text);
    }
  }
  if (previews.length > 0) throw new RequestPreview(previews.join(''));
  return results;
}

/** Merges first pages by id. The result has no gaps: it ends where the first incomplete page ends, or at the limit. */
export async function mergeFirstPages(pages: readonly FirstPage[], limit: number | undefined): Promise<FirstPage> {
  const merged: PetRecord[] = [];
  const lists = pages.map(async function* ({ pets }) {
    yield pets;
    return false;
  });
  for await (const batch of mergeById(lists)) merged.push(...batch);
  const ends = pages.filter(({ hasMore }) => hasMore !== 'no').map(({ pets }) => findGreatestId(pets));
  const isCovered = (pet: PetRecord) => ends.every((end) => (parsePetId(pet) ?? end) <= end);
  const pets = merged.filter(isCovered).slice(0, limit);
  const isCut = pets.length < merged.length || pages.some(({ hasMore }) => hasMore === 'yes');
  return { pets, hasMore: isCut ? 'yes' : ends.length > 0 ? 'perhaps' : 'no' };
}

/**
 * Merges lists with ascending ids, and yields a pet once if it moves from one list to another meanwhile. Holds one page
 * of each list. If a list is in another order, the merged list keeps that order, and ids are remembered from then on.
 */
export async function* mergeById(lists: readonly PetPages[]): PetPages {
  const cursors = lists.map(openCursor);
  const yielded = new Set<bigint>();
  let batch: PetRecord[] = [];
  await fetchEach(cursors, (cursor) => cursor.load());
  for (;;) {
    for (const cursor of cursors) {
      if (!cursor.needsPage()) continue;
      if (batch.length > 0) yield batch;
      batch = [];
      await cursor.load();
    }
    const next = findNext(cursors);
    if (!next) break;
    const { pet, id } = next.take();
    if (id !== undefined) {
      if (yielded.has(id)) continue;
      // While all ids ascend, only the next pet can have this id.
      if (cursors.every(({ isAscending }) => isAscending())) yielded.clear();
      yielded.add(id);
    }
    batch.push(pet);
  }
  yield batch;
  return cursors.some(({ isIncomplete }) => isIncomplete());
}

/** Returns the id; undefined unless it is an integer. */
export function parsePetId({ id }: PetRecord): bigint | undefined {
  const digits = formatExactNumber(id);
  return digits !== undefined && /^-?\d+$/.test(digits) ? BigInt(digits) : undefined;
}

function findGreatestId(pets: readonly PetRecord[]): bigint | number {
  let greatest: bigint | number = Number.NEGATIVE_INFINITY;
  for (const pet of pets) {
    const id = parsePetId(pet);
    if (id !== undefined && id > greatest) greatest = id;
  }
  return greatest;
}

interface Entry {
  readonly pet: PetRecord;
  readonly id: bigint | undefined;
}

interface Cursor {
  /** Fetches the next page that has pets. */
  load(): Promise<void>;
  needsPage(): boolean;
  /** Returns the next pet; undefined at the end of the list. */
  peek(): Entry | undefined;
  take(): Entry;
  isAscending(): boolean;
  isIncomplete(): boolean;
}

function openCursor(pages: PetPages): Cursor {
  let entries: readonly Entry[] = [];
  let position = 0;
  let end: { readonly isIncomplete: boolean } | undefined;
  let isAscending = true;
  let last: bigint | undefined;
  return {
    load: async () => {
      do {
        const { done, value } = await pages.next();
        if (done) end = { isIncomplete: value };
        entries = done ? [] : value.map((pet) => ({ pet, id: parsePetId(pet) }));
        position = 0;
        for (const { id = last } of entries) {
          isAscending &&= last === undefined || id === undefined || id >= last;
          last = id;
        }
      } while (entries.length === 0 && !end);
    },
    needsPage: () => position === entries.length && !end,
    peek: () => entries[position],
    take: () => entries[position++] as Entry,
    isAscending: () => isAscending,
    isIncomplete: () => end?.isIncomplete === true,
  };
}

/**
 * Returns the cursor whose next pet has the smallest id, and of equal ids the last cursor, whose pet was usually fetched
 * last. A pet without an id is next at once.
 */
function findNext(cursors: readonly Cursor[]): Cursor | undefined {
  const rank = (cursor: Cursor) => cursor.peek()?.id ?? Number.NEGATIVE_INFINITY;
  return cursors
    .filter((cursor) => cursor.peek() !== undefined)
    .reduce<Cursor | undefined>((best, cursor) => (best && rank(best) < rank(cursor) ? best : cursor), undefined);
}
