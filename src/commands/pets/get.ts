import { getPet, getPetDeprecation } from '../../api/operations.js';
import { isPetId } from '../../api/pet.js';
import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import { getTargetFlags } from '../../config/settings.js';
import { type Hint, usageError } from '../../failure.js';

/** Shows one pet by its id, with a warning that the operation is deprecated. */
export async function get(context: AppContext, petId: string): Promise<CommandResult> {
  if (!isPetId(petId)) {
    const message = 'the id of a pet must be a non-negative 64-bit integer, such as 42';
    throw usageError('invalid_argument', message, /^-?\d+$/.test(petId) ? undefined : formatSearchHint(context));
  }
  context.terminal.warn(describeDeprecation(petId, context));
  const client = await context.client();
  const { value } = await client.call(getPet, { petId });
  return { kind: 'record', columns: context.columns, record: value };
}

function formatSearchHint({ flags, settings, terminal }: AppContext): Hint {
  const canBrowse = terminal.prompts.isInteractive && !settings.accessible;
  const words = canBrowse ? ['pets', 'browse'] : ['pets', 'list', '--all'];
  return ['run ', { words: [...words, ...getTargetFlags(flags)] }, ' to find a pet by name'];
}

function describeDeprecation(petId: string, { clock, flags }: AppContext): Hint {
  const { removalAt, removalDate } = getPetDeprecation;
  const now = clock.now();
  const removal =
    removalAt > now ? `the service will remove it on ${removalDate}` : `the service removed it on ${removalDate}`;
  const selection = `.[] | select(.id == ${petId})`;
  const replacement = { words: ['pets', 'list', '--all', '--jq', selection, ...getTargetFlags(flags)] };
  return [`pets get is deprecated: ${removal}; use `, replacement, ' instead'];
}
