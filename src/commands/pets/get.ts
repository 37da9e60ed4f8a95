import { getHeader, type HttpResponse } from '../../api/http.js';
import { parseHttpDate } from '../../api/http-date.js';
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
  const client = await context.client();
  const { value, response } = await client.call(getPet, { petId });
  context.terminal.warn(describeDeprecation(petId, response, context));
  return { kind: 'record', columns: context.columns, record: value };
}

function formatSearchHint({ flags, settings, terminal }: AppContext): Hint {
  const canBrowse = terminal.prompts.isInteractive && !settings.accessible;
  const words = canBrowse ? ['pets', 'browse'] : ['pets', 'list', '--all'];
  return ['run ', { words: [...words, ...getTargetFlags(flags)] }, ' to find a pet by name'];
}

/** Describes when the service removes the operation, which its `Sunset` header says (RFC 8594). */
function describeDeprecation(petId: string, { headers }: HttpResponse, { clock, flags }: AppContext): Hint {
  const removalAt = parseHttpDate(getHeader(headers, 'sunset'), clock.now()) ?? getPetDeprecation.removalAt;
  const date = new Date(removalAt).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  const selection = `.[] | select(.id == ${petId})`;
  const replacement = { words: ['pets', 'list', '--all', '--jq', selection, ...getTargetFlags(flags)] };
  return [`pets get is deprecated: the service will remove it on ${date}; use `, replacement, ' instead'];
}
