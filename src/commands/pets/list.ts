import { listPets } from '../../api/operations.js';
import { listLimit, type PetRecord, type PetStatus } from '../../api/pet.js';
import type { AppContext, CommandTerminal } from '../../app/context.js';
import type { Column, CommandResult } from '../../cli/command-result.js';
import type { Client } from '../../client/client.js';
import { formatCount } from '../../format/duration.js';
import type { PetQuery } from './fetch-all-pages.js';
import type { FirstPage } from './merge-statuses.js';

export interface ListOptions extends PetQuery {
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

/** Lists the first page of pets, or all pages with `--all`; several statuses are merged by id. */
export async function list(context: AppContext, options: ListOptions): Promise<CommandResult> {
  context.terminal.checkFields(petColumns);
  const client = await context.client();
  const notices: string[] = [];
  return {
    kind: 'records',
    columns: petColumns,
    batches: options.all
      ? await listAllPages(context, client, options)
      : yieldFirstPage(client, options, { notice: (text) => notices.push(text), warn: context.terminal.warn }),
    emptyMessage: 'No pets found.',
    onRendered: () => {
      for (const text of notices) context.terminal.notice(text);
    },
  };
}

async function listAllPages(context: AppContext, client: Client, options: PetQuery) {
  const { fetchAllPages, keepFetchedPages } = await import('./fetch-all-pages.js');
  const { showFetchProgress } = await import('./show-fetch-progress.js');
  return showFetchProgress(keepFetchedPages(fetchAllPages(client, options)), context);
}

async function* yieldFirstPage(
  client: Client,
  options: ListOptions,
  { notice, warn }: Pick<CommandTerminal, 'notice' | 'warn'>,
): AsyncIterable<readonly PetRecord[]> {
  const { pets, hasMore } = await fetchFirstPage(client, options, warn);
  yield pets;
  if (hasMore === 'yes') {
    const shown = pets.length === 1 ? 'pet' : formatCount(pets.length, 'pet');
    const instruction = options.limit === undefined ? 'Use --all' : 'Replace --limit with --all';
    notice(`Showing the first ${shown}. ${instruction} to list every pet.`);
  } else if (hasMore === 'perhaps') {
    notice('The list may be incomplete: the service sent as many pets as requested, but no link to a next page.');
  }
}

/** Fetches one page, or one of each status, merged. Warns if the service sends more pets than requested. */
export async function fetchFirstPage(
  client: Client,
  { status: statuses = [], limit }: PetQuery,
  warn: (text: string) => void,
): Promise<FirstPage> {
  const fetchPage = async (status: PetStatus | undefined): Promise<FirstPage> => {
    const { value, hasNext } = await client.call(listPets, { limit, status });
    if (limit !== undefined && value.length > limit) {
      warn(`the service sent ${formatCount(value.length, 'pet')}, more than the limit of ${limit}`);
    }
    const isFull = value.length >= (limit ?? listLimit.default);
    return { pets: value.slice(0, limit), hasMore: hasNext ? 'yes' : isFull ? 'perhaps' : 'no' };
  };
  if (statuses.length < 2) return fetchPage(statuses[0]);
  const { fetchEach, mergeFirstPages } = await import('./merge-statuses.js');
  return mergeFirstPages(await fetchEach(statuses, fetchPage), limit);
}
