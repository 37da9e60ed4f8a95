import type { Context } from '../../app/context.js';
import type { Shown } from '../../cli/command-result.js';
import { inOneBatch } from '../records.js';
import { profileColumns, profileRecord } from './record.js';

/** Every profile, the built-in ones first. */
export async function list(context: Context): Promise<Shown> {
  const records = context.profiles.list().map((profile) => profileRecord(profile, context));
  return {
    kind: 'records',
    columns: profileColumns,
    batches: inOneBatch(records),
    empty: 'No profiles.',
  };
}
