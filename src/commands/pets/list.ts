import { listPets } from '../../api/operations.js';
import { listLimit, type PetRecord } from '../../api/pet.js';
import type { AppContext, CommandTerminal } from '../../app/context.js';
import type { Column, CommandResult } from '../../cli/command-result.js';
import type { Client } from '../../client/client.js';
import { buildOperationRequest } from '../../client/request.js';
import type { Hint } from '../../failure.js';
import { formatCount } from '../../format/duration.js';
import { fetchAllPages, type PetQuery } from './fetch-all-pages.js';
import { showFetchProgress } from './show-fetch-progress.js';

export interface ListOptions extends PetQuery {
  readonly all?: true;
  /** Milliseconds between two polls; true for the default. */
  readonly watch?: number | true;
  readonly curl?: true;
}

/** The start of a list. */
interface FirstPage {
  readonly pets: readonly PetRecord[];
  /** Whether the service has more pets; `perhaps` after a full page without a link to a next page. */
  readonly hasMore: 'no' | 'yes' | 'perhaps';
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
  if (options.curl) return printCurl(context, options);
  const client = await context.client();
  const notices: Hint[] = [];
  return {
    kind: 'records',
    columns: petColumns,
    batches: options.all
      ? listAllPages(context, client, options)
      : yieldFirstPage(client, options, { notice: (text) => notices.push(text), warn: context.terminal.warn }),
    emptyMessage: 'No pets found.',
    onRendered: () => {
      for (const text of notices) context.terminal.notice(text);
    },
  };
}

async function printCurl(context: AppContext, { status, limit, all }: ListOptions): Promise<CommandResult> {
  const { formatCurl, openCurlEndpoint } = await import('../../app/curl.js');
  const input = { status, limit: limit ?? (all ? listLimit.maximum : undefined) };
  const request = buildOperationRequest(listPets, input, openCurlEndpoint(context));
  return formatCurl(context, request, { hasMorePages: all });
}

function listAllPages(context: AppContext, client: Client, options: PetQuery) {
  return showFetchProgress(fetchAllPages(client, options), context);
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

/** Fetches one page. Warns if the service sends more pets than requested. */
export async function fetchFirstPage(
  client: Client,
  { status, limit }: PetQuery,
  warn: (text: string) => void,
): Promise<FirstPage> {
  const { value, hasNext } = await client.call(listPets, { limit, status });
  if (limit !== undefined && value.length > limit) {
    warn(`the service sent ${formatCount(value.length, 'pet')}, more than the limit of ${limit}`);
  }
  const isFull = value.length >= (limit ?? listLimit.default);
  return { pets: value.slice(0, limit), hasMore: hasNext ? 'yes' : isFull ? 'perhaps' : 'no' };
}
