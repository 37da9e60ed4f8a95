import { listPets } from '../../api/operations.js';
import type { AppContext } from '../../app/context.js';
import type { Column, CommandResult } from '../../cli/command-result.js';
import { sandboxProfileName } from '../../config/profile.js';
import { Failure } from '../../failure.js';

export interface StatusOptions {
  readonly check?: true;
}

export const columns: readonly Column[] = [
  { key: 'profile' },
  { key: 'baseUrl' },
  { key: 'key' },
  { key: 'source' },
  { key: 'storage' },
  { key: 'valid' },
];

/** Which key would be used and where it comes from; with `check` also whether the service takes it. */
export async function status(
  context: AppContext,
  { check }: StatusOptions,
): Promise<CommandResult> {
  context.terminal.checkFields(columns);
  const account = await context.config.account();
  const refused = account.problem ?? (check ? await tryKey(context) : undefined);
  // Only the service itself can tell, and only where it answered.
  const isKnown = check && (refused === undefined || refused.kind === 'auth');
  const shown = isKnown ? columns : columns.filter(({ key }) => key !== 'valid');
  return {
    kind: 'record',
    columns: context.settings.fields ? columns : shown,
    record: {
      profile: account.profile,
      baseUrl: account.baseUrl ?? (account.profile === sandboxProfileName ? 'embedded' : null),
      key: account.key?.masked() ?? null,
      source: account.keySource ?? null,
      storage: account.storage ?? null,
      ...(isKnown && { valid: refused === undefined }),
    },
    ...(refused && { failure: refused }),
  };
}

async function tryKey(context: AppContext): Promise<Failure | undefined> {
  try {
    await (await context.client()).call(listPets, { limit: 1 });
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
