import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import { sandboxProfileName } from '../../config/profile.js';
import type { Secret } from '../../config/secret.js';
import { getSettingOrigin } from '../../config/settings.js';
import { catchFailure, checkBaseUrlHint, Failure, usageError } from '../../failure.js';
import { verifyKey } from './status.js';

/** Verifies an API key, saves it and makes its profile current. An invalid API key changes nothing. */
export async function login(
  context: AppContext,
  { withKey, keyring }: { readonly withKey?: true; readonly keyring?: true },
): Promise<CommandResult> {
  const { settings, config, terminal } = context;
  const { profiles, credentials } = config;
  const name = await selectProfile(context);
  const savedUrl = profiles.get(name).baseUrl;
  const knownUrl = settings.baseUrl ?? savedUrl;
  const address = knownUrl ?? (await promptForBaseUrl(context, name));
  const baseUrl = config.parseBaseUrl(address);
  const key = await (withKey ? readKey(context) : promptForKey(context, name, baseUrl.origin));
  const failure = await verifyKey(() => context.connections.clientAt(baseUrl, key, name));
  if (failure?.kind === 'auth') {
    const message = `the service rejected the API key, and nothing was saved: ${failure.message}`;
    const hint = 'check the API key and the base URL, then run the command again';
    throw new Failure('auth', { ...failure.details, message, hint });
  }
  if (failure) {
    const hint = failure.kind === 'not-found' ? checkBaseUrlHint : failure.details.hint;
    throw new Failure(failure.kind, { ...failure.details, message: `${failure.message}; nothing was saved`, hint });
  }
  const { origin } = baseUrl;
  await credentials.store(name, { key, origin }, keyring ? 'keyring' : 'file');
  if (address !== savedUrl) await profiles.set(name, { baseUrl: address });
  await profiles.use(name);
  const place = keyring ? 'the system keyring' : credentials.path;
  terminal.success(`Logged in to ${name} at ${origin} with API key ${key.mask()}`);
  terminal.notice(`The API key is saved in ${place}. The current profile is now ${name}.`);
  // The environment overrides the saved values.
  if (config.keyVariable !== undefined) {
    terminal.warn(`${config.keyVariable} overrides the saved API key; unset the variable to use the saved API key`);
  }
  if (getSettingOrigin(settings, 'profile') === 'environment' && settings.profile !== name) {
    terminal.warn(`PETSTORE_PROFILE still selects profile ${settings.profile}; unset the variable to use ${name}`);
  }
  return { kind: 'nothing' };
}

/** Returns the profile from a flag, a variable or a prompt, otherwise the current one. */
async function selectProfile({ settings, terminal, config }: AppContext): Promise<string> {
  const origin = getSettingOrigin(settings, 'profile');
  const isGiven = origin === 'flag' || origin === 'environment';
  if (!isGiven && terminal.prompts.isInteractive) {
    const remote = config.profiles.list().filter(({ name }) => name !== sandboxProfileName);
    return terminal.prompts.select({
      message: 'Log in to which profile?',
      missingInput: ['the profile is missing', 'pass --profile <name>'],
      choices: remote.map(({ name }) => ({ name, value: name })),
      ...(settings.profile !== sandboxProfileName && { default: settings.profile }),
    });
  }
  if (settings.profile !== sandboxProfileName) return settings.profile;
  throw usageError(
    'embedded_profile',
    'cannot log in to the sandbox, which creates its own API key',
    'pass --profile staging or --profile production',
  );
}

function promptForBaseUrl({ terminal, config }: AppContext, name: string): Promise<string> {
  return terminal.prompts.input({
    message: `Base URL of ${name}, such as https://api.example.com/v1:`,
    missingInput: [`profile ${name} has no base URL`, `pass --base-url <url>`],
    validate: (input) => messageOf(() => config.parseBaseUrl(input)),
  });
}

async function readKey(context: AppContext): Promise<Secret> {
  const input = await context.terminal.readInput('-', 4_096);
  return context.config.parseApiKey(new TextDecoder().decode(input), 'standard input');
}

async function promptForKey(
  { terminal: { prompts }, config: { parseApiKey } }: AppContext,
  name: string,
  origin: string,
): Promise<Secret> {
  const input = await prompts.password({
    message: `API key of ${name} for ${origin}:`,
    missingInput: ['the API key is missing', 'pass --with-key and pipe the API key to standard input'],
    validate: (text) => messageOf(() => parseApiKey(text, 'the input')),
  });
  return parseApiKey(input, 'the input');
}

/** Returns the message of the failure that `parse` throws, if any. */
function messageOf(parse: () => unknown): string | undefined {
  let message: string | undefined;
  catchFailure(parse, (failure) => {
    message = failure.message;
  });
  return message;
}

/** Deletes the saved API key of the profile. Warns if the environment provides another. */
export async function logout({ settings, config, terminal }: AppContext): Promise<CommandResult> {
  const name = settings.profile;
  if (name === sandboxProfileName) {
    throw usageError('embedded_profile', 'cannot log out of the sandbox; pass --profile <name>');
  }
  const hadKey = await config.credentials.remove(name);
  if (hadKey) terminal.success(`Logged out of ${name} and deleted its API key`);
  else terminal.notice(`Profile ${name} has no saved API key.`);
  const { keySource } = await config.account();
  if (keySource !== undefined)
    terminal.warn(`${keySource} still provides an API key; unset the variable to log out completely`);
  return { kind: 'nothing' };
}
