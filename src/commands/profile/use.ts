import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import { getSettingOrigin } from '../../config/settings.js';

/** Makes a profile the current one, and says what may still override it. */
export async function use(context: AppContext, given: string | undefined): Promise<CommandResult> {
  const {
    settings,
    config: { profiles },
    terminal: { notice, warn },
  } = context;
  const name = given ?? (await choose(context));
  await profiles.use(name);
  notice(`the current profile is now ${name}`);
  if (getSettingOrigin(settings, 'profile') === 'environment' && settings.profile !== name) {
    warn(`PETSTORE_PROFILE still chooses ${settings.profile}`);
  }
  return { kind: 'nothing' };
}

function choose({
  settings,
  terminal: { prompts },
  config: { profiles },
}: AppContext): Promise<string> {
  return prompts.select({
    message: 'Which profile?',
    missingInputMessage: 'pass the name of a profile: petstore profile list shows them',
    choices: profiles.list().map(({ name }) => ({
      name: name === settings.profile ? `${name} (current)` : name,
      value: name,
    })),
    default: settings.profile,
  });
}
