import type { AppContext } from '../../../app/context.js';
import type { DatabaseOptions } from '../../../app/server-control.js';
import type { CommandResult } from '../../../cli/command-result.js';
import { canceledError } from '../../../failure.js';
import { isExpired } from '../../../server/api-keys.js';
import type { ApiKeyStatus } from '../../../server/list-api-keys.js';
import { databaseFlag } from './list.js';
import { describeKey, openKey } from './open-key.js';

/** Revokes an API key after a confirmation. */
export async function revoke(context: AppContext, name: string, database: DatabaseOptions): Promise<CommandResult> {
  const { prompts, notice, success } = context.terminal;
  const { keys, key } = await openKey(context, name, database);
  const description = describeKey(key);
  const isConfirmed = await prompts.confirm({
    message: `Revoke API key ${description}? Clients that use this API key lose access.`,
    missingInput: { message: `revoking API key ${description} needs confirmation`, missing: [{ syntax: '--yes' }] },
    default: false,
  });
  if (!isConfirmed) throw canceledError();
  await keys.revoke(key);
  success(`Revoked API key ${description}`);
  const left = await keys.list();
  noticeReplacedKeys(context, key, left, database);
  if (left.length === 0) {
    const serve = { words: ['serve', ...databaseFlag(database)] };
    notice(['No API keys are left. The next start of ', serve, ' creates one.']);
  }
  return { kind: 'nothing' };
}

/** Names the keys that the revoked one replaced and that are still valid: after a leak, they must be revoked, too. */
function noticeReplacedKeys(
  context: AppContext,
  revoked: ApiKeyStatus,
  left: readonly ApiKeyStatus[],
  database: DatabaseOptions,
): void {
  const { clock, terminal } = context;
  for (const key of left) {
    const isReplaced = key.owner === revoked.owner && key.createdAt < revoked.createdAt;
    if (!isReplaced || isExpired(key, clock.now())) continue;
    const revoke = { words: ['serve', 'keys', 'revoke', key.prefix, ...databaseFlag(database)] };
    terminal.notice([`The replaced API key ${describeKey(key)} is still valid. To revoke it, too, run `, revoke]);
  }
}
