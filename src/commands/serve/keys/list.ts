import type { AppContext } from '../../../app/context.js';
import type { ServedKey } from '../../../app/serve-types.js';
import type { Column, CommandResult, ViewRecord } from '../../../cli/command-result.js';
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
  { key: 'label', elastic: true },
];

/** Every key of the store, the first one first. */
export async function list(
  context: AppContext,
  { database }: DatabaseOptions,
): Promise<CommandResult> {
  context.terminal.checkFields(columns);
  const keys = await context.server.openKeys({ database, make: false });
  return {
    kind: 'records',
    columns,
    batches: inOneBatch((await keys.list()).map(listed)),
    empty: 'No keys; the next start of petstore serve makes one.',
  };
}

function listed(key: ServedKey): ViewRecord {
  const { prefix, minute, day, bannedUntil, createdAt } = key;
  return {
    ...keyRecord(prefix, key),
    minuteLeft: minute.remaining,
    dayLeft: day.remaining,
    bannedUntil: bannedUntil === undefined ? null : new Date(bannedUntil).toISOString(),
    createdAt: new Date(createdAt).toISOString(),
  };
}
