import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import { sandboxProfileName } from '../../config/profile.js';

/** Forgets a profile and its key; the key first, so that none is left behind without its profile. */
export async function remove(context: AppContext, name: string): Promise<CommandResult> {
  const {
    settings,
    config: { profiles, credentials },
    terminal: { notice },
  } = context;
  profiles.get(name);
  // The sandbox has no key that could be given again.
  const hadKey = name === sandboxProfileName ? false : await credentials.remove(name);
  await profiles.remove(name);
  const isBuiltIn = profiles.list().some((profile) => profile.name === name);
  const what = isBuiltIn ? 'keeps nothing any more' : 'is removed';
  notice(`profile ${name} ${what}${hadKey ? ', and its key is forgotten' : ''}`);
  if (!isBuiltIn && settings.profile === name)
    notice(`the current profile is now ${sandboxProfileName}`);
  return { kind: 'nothing' };
}
