import type { AppContext } from '../../app/context.js';
import type { DatabaseOptions } from '../../app/server-control.js';
import type { Column, CommandResult } from '../../cli/command-result.js';
import { formatCount } from '../../format/duration.js';

export interface BackupFlags extends DatabaseOptions {
  readonly force?: true;
}

export const columns: readonly Column[] = [
  { key: 'file' },
  { key: 'pets', format: 'count' },
  { key: 'keys', format: 'count' },
  { key: 'bytes', format: 'count' },
  { key: 'database' },
];

/** Copies the database to a file, also while a server runs on it. */
export async function backup(context: AppContext, file: string, flags: BackupFlags): Promise<CommandResult> {
  const { settings, terminal } = context;
  terminal.checkFields(columns);
  const copy = await context.server.backUp({ force: false, ...flags, file });
  terminal.success(`Backed up ${formatCount(copy.pets, 'pet')} and ${formatCount(copy.keys, 'API key')} to ${file}`);
  if (settings.output === 'table' && !settings.fields) return { kind: 'nothing' };
  return { kind: 'record', columns, record: { file, ...copy } };
}
