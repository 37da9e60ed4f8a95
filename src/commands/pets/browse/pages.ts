import { listPets } from '../../../api/operations.js';
import { listLimit, type PetRecord } from '../../../api/pet.js';
import type { Client, OperationResult } from '../../../client/client.js';
import type { Clock } from '../../../clock.js';
import type { Choice, Page } from './page-cache.js';

/** Reads the page that follows those that were read of a choice, or begins `anew`; one that failed comes again. */
export function openPages(
  client: Client,
  clock: Clock,
): (choice: Choice, anew: boolean) => Promise<Page> {
  const opened = new Map<Choice, AsyncIterator<OperationResult<readonly PetRecord[]>>>();
  return async (choice, anew) => {
    const input = { limit: listLimit.maximum, ...(choice !== 'all' && { status: choice }) };
    const kept = anew ? undefined : opened.get(choice);
    const pages = kept ?? client.paginate(listPets, input);
    opened.set(choice, pages);
    const { done, value } = await pages.next();
    const at = clock.now();
    return done
      ? { pets: [], hasNext: false, at }
      : { pets: value.value, hasNext: value.hasNext, at };
  };
}
