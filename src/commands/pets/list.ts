import { listPets } from '../../api/operations.js';
import { listLimit, type PetRecord, type PetStatus } from '../../api/pet.js';
import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import type { Client } from '../../client/client.js';
import { Failure } from '../../failure.js';
import { petColumns } from './columns.js';

export interface ListOptions {
  readonly status?: PetStatus;
  readonly limit?: number;
  readonly all?: true;
  /** Milliseconds between two looks, or the usual ones. */
  readonly watch?: number | true;
}

/** The first page of pets, or with `all` every page as it comes. */
export async function list(context: AppContext, options: ListOptions): Promise<CommandResult> {
  context.terminal.checkFields(petColumns);
  const client = await context.client();
  const notices: string[] = [];
  return {
    kind: 'records',
    columns: petColumns,
    batches: options.all
      ? everyPage(client, options)
      : firstPage(client, options, (text) => notices.push(text)),
    emptyMessage: 'No pets found.',
    onRendered: () => {
      for (const text of notices) context.terminal.notice(text);
    },
  };
}

async function* firstPage(
  client: Client,
  { status, limit }: ListOptions,
  notice: (text: string) => void,
): AsyncIterable<readonly PetRecord[]> {
  const { value, hasNext } = await client.call(listPets, query(status, limit));
  if (limit !== undefined && value.length > limit) {
    notice(`warning: the service sent ${value.length} pets, though ${limit} were asked for`);
  }
  yield value.slice(0, limit);
  if (hasNext) notice('more pets follow: --all');
  else if (value.length >= (limit ?? listLimit.default)) {
    notice('there may be more pets: the service sent as many as were asked for, and no next page');
  }
}

/** The pets of every page; fails (partial) at the end where nobody can tell that these are all. */
export async function* everyPage(
  client: Client,
  { status, limit = listLimit.maximum }: ListOptions,
): AsyncIterable<readonly PetRecord[]> {
  let paged = false;
  for await (const { value, hasNext } of client.paginate(listPets, query(status, limit))) {
    yield value;
    // A service that has linked one page to the next leaves the link out only at the end.
    paged ||= hasNext;
    if (!paged && value.length >= limit) throw perhapsPartial(limit);
  }
}

function query(status: PetStatus | undefined, limit: number | undefined) {
  return { ...(limit !== undefined && { limit }), ...(status !== undefined && { status }) };
}

function perhapsPartial(limit: number): Failure {
  return new Failure('partial', {
    code: 'perhaps_partial',
    message: `there may be more pets: the service sent ${limit}, as many as one request may bring, and no next page`,
    hint: 'a list for each --status may be shorter and whole',
  });
}
