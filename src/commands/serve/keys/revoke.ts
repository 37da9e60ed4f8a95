import type { AppContext } from '../../../app/context.js';
import type { DatabaseOptions } from '../../../app/server-control.js';
import type { CommandResult } from '../../../cli/command-result.js';
import { canceledError } from '../../../failure.js';
import { formatHint } from '../../../format/hint.js';
import { describeKey, openKey } from './find-key.js';
import { databaseFlag } from './list.js';

/** Revokes an API key after a confirmation. */
export async function revoke(context: AppContext, name: string, database: DatabaseOptions): Promise<CommandResult> {
  const { prompts, notice, success } = context.terminal;
  const { keys, key } = await openKey(context, name, { database, command: 'revoke' });
  const description = describeKey(key);
  const isConfirmed = await prompts.confirm({
    message: `Revoke API key ${description}? Clients that use this API key lose access.`,
    missingInput: { message: `revoking API key ${description} needs confirmation`, missing: [{ syntax: '--yes' }] },
    default: false,
  });
  if (!isConfirmed) throw canceledError();
  await keys.revoke(key);
  success(`Revoked API key ${description}`);
  if ((await keys.list()).length === 0) {
    const serve = { words: ['serve', ...databaseFlag(database)] };
    notice(formatHint(['No API keys are left. The next start of ', serve, ' creates one.'], context.runtime.platform));
  }
  return { kind: 'nothing' };
}
