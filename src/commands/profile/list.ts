import type { Context } from '../../ports/context.js';
import type { Shown } from '../../ports/view.js';
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
