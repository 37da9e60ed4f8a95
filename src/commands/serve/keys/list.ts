import type { AppContext } from '../../../app/context.js';
import type { DatabaseOptions } from '../../../app/server-control.js';
import { type Column, type CommandResult, type OutputRecord, pickFields } from '../../../cli/command-result.js';
import type { ApiKeyDetails } from '../../../server/change-api-keys.js';
import { mayContainPassword, parsePostgresUrl } from '../../../server/postgres-url.js';
import { singleBatch } from '../../records.js';

export const columns: readonly Column[] = [
  { key: 'keyPrefix' },
  { key: 'plan' },
  { key: 'perMinute', format: 'count' },
  { key: 'perDay', format: 'count' },
  { key: 'minuteLeft', format: 'count' },
  { key: 'dayLeft', format: 'count' },
  { key: 'bannedUntil', title: 'BAN ENDS', format: 'time' },
  { key: 'expiresAt', title: 'EXPIRES', format: 'time' },
  { key: 'createdAt', title: 'CREATED', format: 'time' },
  { key: 'successor' },
  { key: 'label', canShrink: true },
];

/** Returns every API key of the server, the oldest first. */
export async function list(context: AppContext, options: DatabaseOptions): Promise<CommandResult> {
  context.terminal.checkFields(columns);
  const keys = await context.server.openKeys({ ...options, create: false });
  const records = (await keys.list()).map((key) => ({
    ...toKeyRecord(key.prefix, key),
    minuteLeft: key.minute.remaining,
    dayLeft: key.day.remaining,
    bannedUntil: toTime(key.bannedUntil),
    createdAt: toTime(key.createdAt),
    successor: key.successor === undefined ? null : `${key.successor}…`,
  }));
  const serve = { words: ['serve', ...databaseFlag(options)] };
  const emptyMessage = ['No API keys found. The next start of ', serve, ' creates one.'];
  const { settings, runtime } = context;
  const isForPerson = settings.output === 'table' && runtime.terminal.stdout.isTerminal && !settings.fields;
  const shown = isForPerson ? columns.filter(({ key }) => hasValue(key, records)) : columns;
  const fields = shown.map(({ key }) => key);
  const batches = singleBatch(records.map((record) => pickFields(record, fields)));
  return { kind: 'records', columns: shown, batches, emptyMessage };
}

/** Returns whether a column has a value. Columns that are mostly empty would make the table too wide for a terminal. */
function hasValue(key: string, records: readonly OutputRecord[]): boolean {
  return records.some((record) => record[key] !== null);
}

/** Returns the flag that selects the same database in another command. It has no password. */
export function databaseFlag({ database }: DatabaseOptions): readonly string[] {
  if (database === undefined) return [];
  const location = mayContainPassword(database) ? parsePostgresUrl(database)?.displayUrl : database;
  return location === undefined ? [] : ['--database', location];
}

/** Returns the fields of an API key that `create`, `rotate` and `list` print. */
export function toKeyRecord(prefix: string, { plan, limits, label, expiresAt }: ApiKeyDetails) {
  return { keyPrefix: `${prefix}…`, plan, ...limits, label: label ?? null, expiresAt: toTime(expiresAt) };
}

function toTime(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}

/** Returns whether a text contains an API key, or most of one, in the server's format. */
export function looksLikeKey(text: string): boolean {
  return /pets_[0-9a-z]{20}/i.test(text);
}
