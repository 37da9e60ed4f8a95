import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import { inOneBatch } from '../records.js';
import { profileColumns, profileRecord } from './record.js';

/** Every profile, the built-in ones first. */
export async function list(context: AppContext): Promise<CommandResult> {
  const records = context.config.profiles.list().map((profile) => profileRecord(profile, context));
  return {
    kind: 'records',
    columns: profileColumns,
    batches: inOneBatch(records),
    emptyMessage: 'No profiles.',
  };
}
