import type { AppContext } from '../../app/context.js';
import { builtInProfiles, listProfilesCommand } from '../../config/profile.js';
import { sandboxProfileName } from '../../config/settings.js';
import { type Command, usageError } from '../../failure.js';
import { suggestSimilar } from '../../format/suggest.js';
import { warnIfOverridden } from '../config-warnings.js';

/** Makes a profile the current one. Warns if the environment overrides it. */
export async function use(context: AppContext, selected?: string): Promise<void> {
  const { config, terminal } = context;
  const name = selected ?? (await promptForProfile(context));
  await config.profiles.use(name);
  terminal.success(`Switched to profile ${name}`);
  warnIfOverridden(context, name);
}

function promptForProfile({ settings, terminal, config }: AppContext): Promise<string> {
  return terminal.prompts.select({
    message: 'Switch to which profile?',
    missingInput: {
      message: 'the profile is missing',
      missing: [{ syntax: 'name', choices: config.profiles.list().map(({ name }) => name) }],
      hint: ['run ', listProfilesCommand, ', then pass a name'],
    },
    choices: config.profiles.list().map(({ name }) => ({
      name: name === settings.profile ? `${name} (current)` : name,
      value: name,
    })),
    default: settings.profile,
  });
}

/** Saves the values of `--base-url`, `--output` and `--read-only` in a profile. */
export async function set(
  context: AppContext,
  name: string,
  { readOnly }: { readonly readOnly?: boolean },
): Promise<void> {
  const { flags, config, terminal } = context;
  const { baseUrl, output } = flags;
  if (baseUrl === undefined && output === undefined && readOnly === undefined) {
    const hint = 'pass at least one of these flags, such as --base-url https://api.example.com/v1';
    throw usageError('missing_input', 'profile set needs --base-url, --output, --read-only or --no-read-only', hint);
  }
  if (name === sandboxProfileName && baseUrl !== undefined) {
    throw usageError('embedded_profile', 'cannot set a base URL for the sandbox', [
      'run ',
      createProfile,
      ' to use another service',
    ]);
  }
  const parsed = baseUrl === undefined ? undefined : config.parseBaseUrl(baseUrl);
  if (parsed?.warning !== undefined) terminal.warn(parsed.warning);
  const names = config.profiles.list().map((profile) => profile.name);
  const isNew = !names.includes(name);
  await config.profiles.set(name, {
    ...(baseUrl && { baseUrl }),
    ...(output && { output }),
    ...(readOnly !== undefined && { readOnly }),
  });
  const stored = config.credentials.getInfo(name);
  if (parsed && stored && stored.origin !== parsed.origin) {
    terminal.warn(
      `the saved API key of profile ${name} is bound to ${stored.origin}; run petstore auth login --profile ${name} to replace it`,
    );
  }
  terminal.success(`${isNew ? 'Created' : 'Saved'} profile ${name}`);
  if (isNew && baseUrl === undefined) {
    const suggestion = suggestSimilar(name, names);
    terminal.warn(`profile ${name} has no base URL${suggestion === undefined ? '' : `; ${suggestion}`}`);
  }
}

const createProfile: Command = {
  words: ['profile', 'set', { placeholder: '<name>' }, '--base-url', { placeholder: '<url>' }],
};

/** Deletes a profile after a confirmation. Its API key is deleted first, so that none remains without a profile. */
export async function remove(context: AppContext, name: string): Promise<void> {
  const { notice, success, prompts } = context.terminal;
  const { profiles, credentials } = context.config;
  // Throws on an unknown name.
  profiles.get(name);
  const isBuiltIn = builtInProfiles.includes(name);
  // The API key of the sandbox cannot be entered again.
  const hasKey = name !== sandboxProfileName && credentials.getInfo(name) !== undefined;
  await prompts.confirm({
    message: `${isBuiltIn ? 'Reset' : 'Delete'} profile ${name}?${hasKey ? ' Its API key is deleted, too.' : ''}`,
    problem: `${isBuiltIn ? 'resetting' : 'deleting'} profile ${name} needs confirmation`,
    default: false,
  });
  if (hasKey) await credentials.remove(name);
  const wasSaved = profiles.getSaved() === name;
  await profiles.remove(name);
  success(`${isBuiltIn ? 'Reset' : 'Deleted'} profile ${name}${hasKey ? ' and deleted its API key' : ''}`);
  if (isBuiltIn) return;
  const override = context.runtime.env.PETSTORE_PROFILE;
  if (wasSaved) notice(`The ${override ? 'saved' : 'current'} profile is now ${sandboxProfileName}.`);
  if (wasSaved || override === name) warnIfOverridden(context, profiles.getSaved());
}
