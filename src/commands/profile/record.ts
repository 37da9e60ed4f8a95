import type { Context } from '../../app/context.js';
import type { Column, ViewRecord } from '../../cli/command-result.js';
import type { StoredKeyNote } from '../../config/credential-types.js';
import { type Profile, sandbox } from '../../config/profile.js';

/** How a profile is shown. */
export const profileColumns: readonly Column[] = [
  { key: 'name' },
  { key: 'current' },
  { key: 'baseUrl', elastic: true },
  { key: 'output' },
  { key: 'key' },
];

/** A profile as it is shown; its key is masked, and the sandbox has neither base URL nor key to tell. */
export function profileRecord(
  { name, baseUrl, output }: Profile,
  { settings, credentials }: Context,
): ViewRecord {
  return {
    name,
    current: name === settings.profile,
    baseUrl: baseUrl ?? null,
    output: output ?? null,
    key: name === sandbox ? null : describe(credentials.note(name)),
  };
}

function describe(note: StoredKeyNote | undefined): string | null {
  if (!note) return null;
  return note.storage === 'keyring' ? 'in the keyring' : (note.key?.masked() ?? null);
}
