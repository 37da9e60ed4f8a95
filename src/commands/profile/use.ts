import type { Context } from '../../app/context.js';
import type { Shown } from '../../cli/command-result.js';
import { getSettingOrigin } from '../../config/settings.js';

/** Makes a profile the current one, and says what may still override it. */
export async function use(context: Context, given: string | undefined): Promise<Shown> {
  const { settings, profiles, notice, warning } = context;
  const name = given ?? (await choose(context));
  await profiles.use(name);
  notice(`the current profile is now ${name}`);
  if (getSettingOrigin(settings, 'profile') === 'environment' && settings.profile !== name) {
    warning(`PETSTORE_PROFILE still chooses ${settings.profile}`);
  }
  return { kind: 'nothing' };
}

function choose({ ask, settings, profiles }: Context): Promise<string> {
  return ask.select({
    message: 'Which profile?',
    missingInputMessage: 'pass the name of a profile: petstore profile list shows them',
    choices: profiles.list().map(({ name }) => ({
      name: name === settings.profile ? `${name} (current)` : name,
      value: name,
    })),
    default: settings.profile,
  });
}
