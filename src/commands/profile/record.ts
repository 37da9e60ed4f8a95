import type { AppContext } from '../../app/context.js';
import type { Column, OutputRecord } from '../../cli/command-result.js';
import type { StoredKeyInfo } from '../../config/credentials.js';
import { type Profile, sandboxProfileName } from '../../config/profile.js';

/** How a profile is shown. */
export const profileColumns: readonly Column[] = [
  { key: 'name' },
  { key: 'current' },
  { key: 'baseUrl', canShrink: true },
  { key: 'output' },
  { key: 'key' },
];

/** A profile as it is shown; its key is masked, and the sandbox has neither base URL nor key to tell. */
export function profileRecord(
  { name, baseUrl, output }: Profile,
  { settings, config: { credentials } }: AppContext,
): OutputRecord {
  return {
    name,
    current: name === settings.profile,
    baseUrl: baseUrl ?? null,
    output: output ?? null,
    key: name === sandboxProfileName ? null : describe(credentials.getInfo(name)),
  };
}

function describe(note: StoredKeyInfo | undefined): string | null {
  if (!note) return null;
  return note.storage === 'keyring' ? 'in the keyring' : (note.key?.masked() ?? null);
}
