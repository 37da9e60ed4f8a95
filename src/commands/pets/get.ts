import { getPet, getPetDeprecation, listPets } from '../../api/operations.js';
import { isPetId, listLimit, type PetRecord } from '../../api/pet.js';
import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import type { Client } from '../../client/client.js';
import { Failure, usageError } from '../../failure.js';
import { formatDaysUntil } from '../../format/duration.js';
import { formatExactNumber } from '../../format/json.js';
import { petColumns } from './columns.js';

/** One pet by its id, with a warning that the service will remove the operation. */
export async function get(context: AppContext, given: string | undefined): Promise<CommandResult> {
  context.terminal.checkFields(petColumns);
  if (given === undefined && !context.terminal.prompts.isInteractive) {
    throw usageError('missing_argument', 'pass the id of a pet: petstore pets get 1');
  }
  if (given !== undefined && !isPetId(given)) {
    throw usageError('invalid_pet_id', 'the id of a pet is a 64-bit whole number, such as 42');
  }
  context.terminal.warn(deprecation(context.clock.now()));
  const client = await context.client();
  // A pet from the list is whole: asking for it again would spend a request on nothing.
  const record =
    given === undefined
      ? await pick(context, client)
      : (await client.call(getPet, { petId: given })).value;
  return { kind: 'record', columns: petColumns, record };
}

/** The pets of one request, to choose from by typing. */
async function pick(
  { terminal: { prompts, notice } }: AppContext,
  client: Client,
): Promise<PetRecord> {
  const { value: pets, hasNext } = await client.call(listPets, { limit: listLimit.maximum });
  if (pets.length === 0) {
    throw new Failure('not-found', {
      code: 'no_pets',
      message: 'there are no pets to choose from',
    });
  }
  if (hasNext) notice(`the first ${pets.length} pets; petstore pets get ID shows any other`);
  return prompts.search({
    message: 'Which pet?',
    missingInputMessage: 'pass the id of a pet',
    choices: pets.map((pet) => ({ value: pet, name: describe(pet) })),
  });
}

function describe({ id, name, status }: PetRecord): string {
  return [
    formatExactNumber(id) ?? '-',
    String(name),
    ...(status === undefined ? [] : [`(${status})`]),
  ].join(' ');
}

function deprecation(now: number): string {
  const { removalAt, removalDate } = getPetDeprecation;
  const when =
    removalAt > now
      ? `the service removes it on ${removalDate}, ${formatDaysUntil(removalAt - now)}`
      : `the service removed it on ${removalDate}`;
  return `pets get is deprecated: ${when}; use petstore pets list --status instead`;
}
