import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import { sandboxProfileName } from '../../config/profile.js';
import { usageError } from '../../failure.js';

/** Forgets the stored key of the profile in use, and says what still gives one. */
export async function logout(context: AppContext): Promise<CommandResult> {
  const {
    settings,
    config: { credentials },
  } = context;
  const name = settings.profile;
  if (name === sandboxProfileName)
    throw usageError('embedded_profile', 'the sandbox keeps its own key');
  const had = await credentials.remove(name);
  context.terminal.notice(
    had ? `the key of profile ${name} is forgotten` : `profile ${name} has no stored key`,
  );
  const { keySource } = await context.config.account();
  if (keySource !== undefined) context.terminal.warn(`${keySource} still gives a key`);
  return { kind: 'nothing' };
}
