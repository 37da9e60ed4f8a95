import type { Context } from '../../ports/context.js';
import type { StoredKeyNote } from '../../ports/credentials.js';
import { type Profile, sandbox } from '../../ports/profile.js';
import type { Column, ViewRecord } from '../../ports/view.js';

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
