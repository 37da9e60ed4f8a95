import type { AppContext } from '../../../app/context.js';
import type { DatabaseOptions } from '../../../app/server-control.js';
import type { CommandResult } from '../../../cli/command-result.js';
import { formatWait } from '../../../format/duration.js';
import { describeKey, openKey } from './open-key.js';

/** Removes the ban of an API key, and of those with which it shares its quota. */
export async function unban(context: AppContext, name: string, database: DatabaseOptions): Promise<CommandResult> {
  const { keys, key } = await openKey(context, name, { database, command: 'unban' });
  const { success, notice } = context.terminal;
  if (!(await keys.unban(key))) {
    notice(`API key ${describeKey(key)} is not banned.`);
    return { kind: 'nothing' };
  }
  success(`Removed the ban of API key ${describeKey(key)}`);
  const { bannedUntil } = key;
  // Clients remember the `Retry-After` of the ban.
  if (bannedUntil !== undefined) {
    notice(`Clients that received the ban wait for another ${formatWait(bannedUntil - context.clock.now())}.`);
  }
  return { kind: 'nothing' };
}
