import { listPets } from '../../api/operations.js';
import { listLimit, type PetRecord, type PetStatus } from '../../api/pet.js';
import type { AppContext } from '../../app/context.js';
import type { Column, CommandResult } from '../../cli/command-result.js';
import type { Client } from '../../client/client.js';
import { Failure } from '../../failure.js';
import { formatCount } from '../../format/duration.js';

export interface ListOptions {
  readonly status?: PetStatus;
  readonly limit?: number;
  readonly all?: true;
  /** Milliseconds between two polls; true for the default. */
  readonly watch?: number | true;
}

/** The documented fields of a pet, in the order of the API spec. */
export const petColumns: readonly Column[] = [
  { key: 'id' },
  { key: 'name', canShrink: true },
  { key: 'categoryId', title: 'CATEGORY' },
  { key: 'status', style: 'status' },
];

/** Lists the first page of pets, or all pages with `--all`. */
export async function list(context: AppContext, options: ListOptions): Promise<CommandResult> {
  context.terminal.checkFields(petColumns);
  const client = await context.client();
  const notices: string[] = [];
  return {
    kind: 'records',
    columns: petColumns,
    batches: options.all
      ? (await import('./show-fetch-progress.js')).showFetchProgress(fetchAllPages(client, options), context)
      : fetchFirstPage(client, options, (text) => notices.push(text)),
    emptyMessage: 'No pets found.',
    onRendered: () => {
      for (const text of notices) context.terminal.notice(text);
    },
  };
}

async function* fetchFirstPage(
  client: Client,
  { status, limit }: ListOptions,
  notice: (text: string) => void,
): AsyncIterable<readonly PetRecord[]> {
  const { value, hasNext } = await client.call(listPets, createQuery(status, limit));
  if (limit !== undefined && value.length > limit) {
    notice(`warning: the service sent ${formatCount(value.length, 'pet')}, more than the limit of ${limit}`);
  }
  const pets = value.slice(0, limit);
  yield pets;
  if (hasNext) {
    const shown = pets.length === 1 ? 'pet' : formatCount(pets.length, 'pet');
    const instruction = limit === undefined ? 'Use --all' : 'Replace --limit with --all';
    notice(`Showing the first ${shown}. ${instruction} to list every pet.`);
  } else if (value.length >= (limit ?? listLimit.default)) {
    notice('The list may be incomplete: the service sent as many pets as requested, but no link to a next page.');
  }
}

/** Yields every page; throws a `partial` failure after the last one if more pets may exist. */
export async function* fetchAllPages(
  client: Client,
  { status, limit = listLimit.maximum }: ListOptions,
): AsyncIterable<readonly PetRecord[]> {
  let isPaginated = false;
  for await (const { value, hasNext } of client.paginate(listPets, createQuery(status, limit))) {
    yield value;
    // A full page without a link may mean that the service does not support pagination.
    isPaginated ||= hasNext;
    if (isPaginated || value.length < limit) continue;
    throw new Failure('partial', {
      code: 'perhaps_partial',
      message: `the list may be incomplete: the service sent ${limit} pets, as many as requested, but no link to a next page`,
      hint: 'run the command once for each --status: available, pending and sold',
    });
  }
}

/** Returns the query without parameters that are undefined. */
export function createQuery(status: PetStatus | undefined, limit: number | undefined) {
  return { ...(limit !== undefined && { limit }), ...(status !== undefined && { status }) };
}
