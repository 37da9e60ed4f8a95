import type { Context } from '../../app/context.js';
import type { Shown } from '../../cli/command-result.js';
import { profileColumns, profileRecord } from './record.js';

/** One profile: the one named, else the one in use. */
export async function show(context: Context, name = context.settings.profile): Promise<Shown> {
  const record = profileRecord(context.profiles.get(name), context);
  return { kind: 'record', columns: profileColumns, record };
}
