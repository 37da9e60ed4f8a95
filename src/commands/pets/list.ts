import { listPets } from '../../api/operations.js';
import { isInt64, listLimit } from '../../api/pet.js';
import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import { buildOperationRequest } from '../../client/request.js';
import { getTargetFlags } from '../../config/settings.js';
import { usageError } from '../../failure.js';
import { formatCount } from '../../format/duration.js';
import { formatCommand, toFlagWords } from '../../format/hint.js';
import { formatJson } from '../../format/json.js';
import { fetchPets, hasFilter, type PetPage, type PetQuery, showFetchProgress } from './fetch-pets.js';

export interface ListOptions extends PetQuery {
  /** The most pets to print. */
  readonly limit?: number;
  /** Without a maximum. */
  readonly all?: true;
  /** Milliseconds between two polls; true for the default. */
  readonly watch?: number | true;
  readonly curl?: true;
}

/** Lists the first pets, or every pet with `--all`. */
export async function list(context: AppContext, options: ListOptions): Promise<void> {
  checkFilter(options);
  if (options.curl) return context.print(await toCurl(context, options));
  const client = await context.client();
  let more: PetPage['hasMore'] = 'no';
  const pages = fetchPets(client, options, findMaximum(options), (hasMore) => {
    more = hasMore;
  });
  await context.print({
    kind: 'records',
    columns: context.columns,
    records: needsPages(options) ? showFetchProgress(pages, context) : pages,
    emptyMessage: 'No pets found.',
  });
  printNotice(context, options, more);
}

/** Throws a usage failure for a category that no pet can have. */
export function checkFilter({ categoryId }: PetQuery): void {
  if (categoryId === undefined || isInt64(categoryId)) return;
  throw usageError('invalid_flag', `--category-id must be a 64-bit integer, not "${categoryId}"`);
}

function findMaximum({ all, limit = listLimit.default }: ListOptions): number {
  return all ? Number.POSITIVE_INFINITY : limit;
}

/** Returns whether the list may need several requests. */
function needsPages(options: ListOptions): boolean {
  return findMaximum(options) > listLimit.maximum || hasFilter(options);
}

async function toCurl(context: AppContext, options: ListOptions): Promise<CommandResult> {
  if (hasFilter(options)) {
    throw usageError('invalid_flag', '--curl cannot show --name and --category-id, by which petstore filters itself');
  }
  const { formatCurl, openCurlEndpoint } = await import('../curl.js');
  const hasMorePages = needsPages(options);
  const limit = hasMorePages ? listLimit.maximum : options.limit;
  const request = buildOperationRequest(listPets, { status: options.status, limit }, openCurlEndpoint(context));
  return formatCurl(context, request, { hasMorePages });
}

/** Says that more pets exist, or may exist: for programs, as one line of JSON with the command that lists every pet. */
function printNotice(context: AppContext, options: ListOptions, hasMore: PetPage['hasMore']): void {
  if (hasMore === 'no') return;
  const { flags, settings, terminal, runtime } = context;
  const count = findMaximum(options);
  const message =
    hasMore === 'yes'
      ? `Showing the first ${count === 1 ? 'pet' : formatCount(count, 'pet')}.`
      : 'The list may be incomplete: the service sent as many pets as requested, but no link to a next page.';
  if (settings.output === 'table') {
    terminal.notice(hasMore === 'yes' ? `${message} Use --all to list every pet.` : message);
  } else if (!settings.quiet) {
    const { status, name, categoryId } = options;
    const words = toFlagWords({
      status,
      name,
      'category-id': categoryId,
      output: settings.output,
      fields: flags.fields?.join(','),
      jq: flags.jq,
    });
    const next = [formatCommand({ words: ['pets', 'list', '--all', ...getTargetFlags(settings), ...words] })];
    void runtime.terminal.stderr.write(`${formatJson({ notice: { code: 'more_pets', message, next } })}\n`);
  }
}
