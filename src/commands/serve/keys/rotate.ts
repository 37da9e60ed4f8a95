import type { AppContext } from '../../../app/context.js';
import type { DatabaseOptions } from '../../../app/server-control.js';
import type { CommandResult } from '../../../cli/command-result.js';
import { usageError } from '../../../failure.js';
import { formatRelativeTime } from '../../../format/relative-time.js';
import { isExpired } from '../../../server/api-keys.js';
import type { ApiKeyStatus } from '../../../server/list-api-keys.js';
import { parseOverlap } from './flag-values.js';
import { databaseFlag } from './list.js';
import { checkKeyIsPrinted, newKeyResult } from './new-key.js';
import { describeKey, openKey } from './open-key.js';

/** Replaces an API key with a new one, which takes over its limits, label, expiry, quota and ban. */
export async function rotate(
  context: AppContext,
  name: string,
  { overlap = '24h', ...database }: DatabaseOptions & { readonly overlap?: string },
): Promise<CommandResult> {
  checkKeyIsPrinted(context);
  const overlapMs = parseOverlap(overlap);
  const { keys, key } = await openKey(context, name, database);
  checkCanRotate(key, context.clock.now(), database);
  return newKeyResult(context, keys, keys.rotate(key, overlapMs), key, (expiresAt) => {
    const time = formatRelativeTime(new Date(expiresAt).toISOString(), context.clock.now());
    context.terminal.success(`Rotated API key ${describeKey(key)}; the old one expires ${time}`);
  });
}

function checkCanRotate(key: ApiKeyStatus, now: number, database: DatabaseOptions): void {
  const flag = databaseFlag(database);
  if (key.successor !== undefined) {
    throw usageError('key_changed', `the API key ${key.prefix}… was replaced by ${key.successor}…`, [
      'run ',
      { words: ['serve', 'keys', 'rotate', key.successor, ...flag], isShownOnly: true },
      ' to replace the newer API key',
    ]);
  }
  if (!isExpired(key, now)) return;
  throw usageError('key_changed', `the API key ${describeKey(key)} has expired`, [
    'run ',
    { words: ['serve', 'keys', 'update', key.prefix, '--expires', 'never', ...flag], isShownOnly: true },
    ' first, or create another API key',
  ]);
}
