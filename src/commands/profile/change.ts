import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import { sandboxProfileName } from '../../config/profile.js';
import { getSettingOrigin } from '../../config/settings.js';
import { usageError } from '../../failure.js';

/** Makes a profile the current one. Warns if the environment overrides it. */
export async function use(context: AppContext, selected?: string): Promise<CommandResult> {
  const { settings, config, terminal } = context;
  const name = selected ?? (await promptForProfile(context));
  await config.profiles.use(name);
  terminal.notice(`the current profile is now ${name}`);
  if (getSettingOrigin(settings, 'profile') === 'environment' && settings.profile !== name) {
    terminal.warn(`PETSTORE_PROFILE still chooses ${settings.profile}`);
  }
  return { kind: 'nothing' };
}

function promptForProfile({ settings, terminal, config }: AppContext): Promise<string> {
  return terminal.prompts.select({
    message: 'Which profile?',
    missingInputMessage: 'pass the name of a profile: petstore profile list shows them',
    choices: config.profiles.list().map(({ name }) => ({
      name: name === settings.profile ? `${name} (current)` : name,
      value: name,
    })),
    default: settings.profile,
  });
}

/** Saves the values of `--base-url` and `--output` in a profile. */
export async function set(context: AppContext, name: string): Promise<CommandResult> {
  const { flags, config, terminal } = context;
  const { baseUrl, output } = flags;
  if (baseUrl === undefined && output === undefined) {
    throw usageError('missing_flag', 'pass what the profile shall keep: --base-url or --output');
  }
  if (name === sandboxProfileName && baseUrl !== undefined) {
    throw usageError('embedded_profile', 'the sandbox is embedded and has no base URL');
  }
  const parsed = baseUrl === undefined ? undefined : config.parseBaseUrl(baseUrl);
  for (const text of parsed?.warnings ?? []) terminal.warn(text);
  await config.profiles.set(name, { ...(baseUrl && { baseUrl }), ...(output && { output }) });
  const stored = config.credentials.getInfo(name);
  if (parsed && stored && stored.origin !== parsed.origin) {
    terminal.warn(
      `the key of ${name} stays bound to ${stored.origin}; petstore auth login --profile ${name} stores another`,
    );
  }
  terminal.notice(`profile ${name} is set`);
  return { kind: 'nothing' };
}

/** Deletes a profile. Its API key is deleted first, so that none remains without a profile. */
export async function remove(context: AppContext, name: string): Promise<CommandResult> {
  const { notice } = context.terminal;
  const { profiles, credentials } = context.config;
  // Throws on an unknown name.
  profiles.get(name);
  // The key of the sandbox cannot be entered again.
  const hadKey = name !== sandboxProfileName && (await credentials.remove(name));
  await profiles.remove(name);
  const isBuiltIn = profiles.list().some((profile) => profile.name === name);
  const change = isBuiltIn ? 'keeps nothing any more' : 'is removed';
  notice(`profile ${name} ${change}${hadKey ? ', and its key is forgotten' : ''}`);
  if (!isBuiltIn && context.settings.profile === name) notice(`the current profile is now ${sandboxProfileName}`);
  return { kind: 'nothing' };
}
