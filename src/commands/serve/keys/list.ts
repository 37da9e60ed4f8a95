import type { AppContext } from '../../../app/context.js';
import type { Column, CommandResult, OutputRecord } from '../../../cli/command-result.js';
import type { ApiKeyStatus } from '../../../server/api-keys.js';
import { inOneBatch } from '../../records.js';
import { type DatabaseOptions, keyRecord } from './record.js';

export const columns: readonly Column[] = [
  { key: 'keyPrefix' },
  { key: 'plan' },
  { key: 'perMinute' },
  { key: 'perDay' },
  { key: 'minuteLeft' },
  { key: 'dayLeft' },
  { key: 'bannedUntil' },
  { key: 'createdAt' },
  { key: 'label', canShrink: true },
];

/** Every key of the store, the first one first. */
export async function list(
  context: AppContext,
  { database }: DatabaseOptions,
): Promise<CommandResult> {
  context.terminal.checkFields(columns);
  const keys = await context.server.openKeys({ database, create: false });
  return {
    kind: 'records',
    columns,
    batches: inOneBatch((await keys.list()).map(listed)),
    emptyMessage: 'No keys; the next start of petstore serve makes one.',
  };
}

function listed(key: ApiKeyStatus): OutputRecord {
  const { prefix, minute, day, bannedUntil, createdAt } = key;
  return {
    ...keyRecord(prefix, key),
    minuteLeft: minute.remaining,
    dayLeft: day.remaining,
    bannedUntil: bannedUntil === undefined ? null : new Date(bannedUntil).toISOString(),
    createdAt: new Date(createdAt).toISOString(),
  };
}
