import { getHeader } from '../../api/http.js';
import { parseHttpDate } from '../../api/http-date.js';
import { getPet, getPetDeprecation } from '../../api/operations.js';
import { isPetId } from '../../api/pet.js';
import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import { getTargetFlags } from '../../config/settings.js';
import { usageError } from '../../failure.js';

/** Shows one pet by its id, with a warning that the operation is deprecated. */
export async function get(context: AppContext, petId: string): Promise<CommandResult> {
  if (!isPetId(petId)) {
    const search = { words: ['pets', 'list', '--name', petId, ...getTargetFlags(context.settings)] };
    const message = 'the id of a pet must be a non-negative 64-bit integer, such as 42';
    throw usageError('invalid_argument', message, ['run ', search, ' to find a pet by name']);
  }
  const client = await context.client();
  const { value, response } = await client.call(getPet, { petId });
  const sunset = parseHttpDate(getHeader(response.headers, 'sunset'), context.clock.now());
  const removal = new Date(sunset ?? getPetDeprecation.removalAt);
  const date = removal.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  context.terminal.warn(`pets get is deprecated; the service will remove it on ${date}`);
  return { kind: 'record', columns: context.columns, record: value };
}
