import { getPet, getPetDeprecation, listPets } from '../../api/operations.js';
import { isPetId, listLimit, type PetRecord } from '../../api/pet.js';
import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import type { Client } from '../../client/client.js';
import { Failure, usageError } from '../../failure.js';
import { formatDaysUntil } from '../../format/duration.js';
import { formatExactNumber } from '../../format/json.js';
import { petColumns } from './list.js';

/** Shows one pet by its id, with a warning that the operation is deprecated. */
export async function get(context: AppContext, petId: string | undefined): Promise<CommandResult> {
  context.terminal.checkFields(petColumns);
  if (petId === undefined && !context.terminal.prompts.isInteractive) {
    throw usageError('missing_argument', 'pass the id of a pet: petstore pets get 1');
  }
  if (petId !== undefined && !isPetId(petId)) {
    throw usageError('invalid_pet_id', 'the id of a pet is a 64-bit whole number, such as 42');
  }
  context.terminal.warn(describeDeprecation(context.clock.now()));
  const client = await context.client();
  // A pet from the list is complete: another request would only use up quota.
  const record =
    petId === undefined ? await promptForPet(context, client) : (await client.call(getPet, { petId })).value;
  return { kind: 'record', columns: petColumns, record };
}

/** Prompts for one pet of the first page. */
async function promptForPet({ terminal: { prompts, notice } }: AppContext, client: Client): Promise<PetRecord> {
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
    choices: pets.map((pet) => ({ value: pet, name: formatChoice(pet) })),
  });
}

function formatChoice({ id, name, status }: PetRecord): string {
  const suffix = status === undefined ? '' : ` (${status})`;
  return `${formatExactNumber(id) ?? '-'} ${name}${suffix}`;
}

function describeDeprecation(now: number): string {
  const { removalAt, removalDate } = getPetDeprecation;
  const when =
    removalAt > now
      ? `the service removes it on ${removalDate}, ${formatDaysUntil(removalAt - now)}`
      : `the service removed it on ${removalDate}`;
  return `pets get is deprecated: ${when}; use petstore pets list --status instead`;
}
