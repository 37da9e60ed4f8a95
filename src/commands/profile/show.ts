import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import { profileColumns, profileRecord } from './record.js';

/** One profile: the one named, else the one in use. */
export async function show(
  context: AppContext,
  name = context.settings.profile,
): Promise<CommandResult> {
  const record = profileRecord(context.config.profiles.get(name), context);
  return { kind: 'record', columns: profileColumns, record };
}
