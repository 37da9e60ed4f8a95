import { getPet, getPetDeprecation, listPets } from '../../api/operations.js';
import { isPetId, listLimit, type PetRecord } from '../../api/pet.js';
import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import { getTargetFlags } from '../../config/settings.js';
import { type Hint, usageError } from '../../failure.js';
import { formatDaysUntil } from '../../format/duration.js';
import { formatHint } from '../../format/hint.js';
import { petColumns } from './list.js';

/** Shows one pet by its id, with a warning that the operation is deprecated. */
export async function get(context: AppContext, petId: string | undefined): Promise<CommandResult> {
  context.terminal.checkFields(petColumns);
  if (petId === undefined && !context.terminal.prompts.isInteractive) {
    const { addEnableHint, describeDisabledPrompts } = await import('../../terminal/missing-input-error.js');
    const { disableReason } = context.terminal.prompts;
    throw usageError(
      'missing_argument',
      describeDisabledPrompts('the id of the pet is missing', disableReason),
      addEnableHint(['run ', { words: ['pets', 'get', { placeholder: '<id>' }] }], disableReason),
      { missing: [{ syntax: 'petId' }], next: [{ words: ['pets', 'list', ...getTargetFlags(context.flags)] }] },
    );
  }
  if (petId !== undefined && !isPetId(petId)) {
    const message = 'the id of a pet must be a non-negative 64-bit integer, such as 42';
    throw usageError('invalid_pet_id', message, /^-?\d+$/.test(petId) ? undefined : formatSearchHint(context));
  }
  context.terminal.warn(describeDeprecation(petId, context));
  // A pet from the list is complete: another request would only use up quota.
  const record =
    petId === undefined ? await promptForPet(context) : (await (await context.client()).call(getPet, { petId })).value;
  return { kind: 'record', columns: petColumns, record };
}

function formatSearchHint({ flags, settings, terminal }: AppContext): Hint {
  const canBrowse = terminal.prompts.isInteractive && !settings.accessible;
  const words = canBrowse ? ['pets', 'browse'] : ['pets', 'list', '--all'];
  return ['run ', { words: [...words, ...getTargetFlags(flags)] }, ' to find a pet by name'];
}

/** Prompts for one pet. With `--curl`, shows the request for the first page instead. */
async function promptForPet(context: AppContext): Promise<PetRecord> {
  if (context.settings.curl) await (await context.client()).call(listPets, { limit: listLimit.maximum });
  return (await import('./pick-pet.js')).pickPet(context);
}

function describeDeprecation(petId: string | undefined, { clock, flags, runtime, settings }: AppContext): string {
  const { removalAt, removalDate } = getPetDeprecation;
  const now = clock.now();
  const removal =
    removalAt > now
      ? `the service will remove it on ${removalDate} (${formatDaysUntil(removalAt - now)})`
      : `the service removed it on ${removalDate}`;
  const target = getTargetFlags(flags);
  const replacement =
    petId === undefined
      ? { words: [...(settings.accessible ? ['pets', 'list', '--all'] : ['pets', 'browse']), ...target] }
      : { words: ['pets', 'list', '--all', '--jq', `.[] | select(.id == ${petId})`, ...target] };
  return formatHint([`pets get is deprecated: ${removal}; use `, replacement, ' instead'], runtime.platform);
}
