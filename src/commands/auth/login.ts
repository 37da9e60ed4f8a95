import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import { sandboxProfileName } from '../../config/profile.js';
import type { Secret } from '../../config/secret.js';
import { getSettingOrigin } from '../../config/settings.js';
import { catchFailure, Failure, usageError } from '../../failure.js';
import { verifyKey } from './status.js';

/** Verifies an API key, saves it and makes its profile current. An invalid key changes nothing. */
export async function login(
  context: AppContext,
  { withKey, keyring }: { readonly withKey?: true; readonly keyring?: true },
): Promise<CommandResult> {
  const { settings, config, terminal } = context;
  const { profiles, credentials } = config;
  const name = await selectProfile(context);
  const knownUrl = settings.baseUrl ?? profiles.get(name).baseUrl;
  const address = knownUrl ?? (await promptForBaseUrl(context, name));
  const baseUrl = config.parseBaseUrl(address);
  const key = await (withKey ? readKey(context) : promptForKey(context, name, baseUrl.origin));
  const failure = await verifyKey(() => context.connections.clientAt(baseUrl, key, name));
  if (failure?.kind === 'auth') {
    const message = `the service rejects this key, so nothing was stored: ${failure.message}`;
    throw new Failure('auth', { ...failure.details, message, hint: undefined });
  }
  if (failure) throw failure;
  const { origin } = baseUrl;
  await credentials.store(name, { key, origin }, keyring ? 'keyring' : 'file');
  if (address !== profiles.get(name).baseUrl) await profiles.set(name, { baseUrl: address });
  await profiles.use(name);
  const place = keyring ? 'the system keyring' : credentials.path;
  terminal.notice(`logged in: profile ${name} is now current; its key ${key.mask()} for ${origin} is in ${place}`);
  // The environment overrides the saved values.
  if (config.keyVariable !== undefined) terminal.warn(`${config.keyVariable} still gives another key`);
  if (getSettingOrigin(settings, 'profile') === 'environment' && settings.profile !== name) {
    terminal.warn(`PETSTORE_PROFILE still chooses ${settings.profile}`);
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
      message: 'Which profile?',
      missingInputMessage: 'pass --profile',
      choices: remote.map(({ name }) => ({ name, value: name })),
      ...(settings.profile !== sandboxProfileName && { default: settings.profile }),
    });
  }
  if (settings.profile !== sandboxProfileName) return settings.profile;
  throw usageError(
    'embedded_profile',
    'the sandbox has its own key and takes no other',
    'pass --profile staging or --profile production',
  );
}

function promptForBaseUrl({ terminal, config }: AppContext, name: string): Promise<string> {
  return terminal.prompts.input({
    message: `Base URL of ${name}:`,
    missingInputMessage: `the profile ${name} has no base URL yet: pass --base-url https://…/v1`,
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
    missingInputMessage: 'pass --with-key and the API key on standard input',
    validate: (text) => messageOf(() => parseApiKey(text, 'this')),
  });
  return parseApiKey(input, 'the answer');
}

/** Returns the message of the failure that `parse` throws, if it throws one. */
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
  if (name === sandboxProfileName) throw usageError('embedded_profile', 'the sandbox keeps its own key');
  const hadKey = await config.credentials.remove(name);
  terminal.notice(hadKey ? `the key of profile ${name} is forgotten` : `profile ${name} has no stored key`);
  const { keySource } = await config.account();
  if (keySource !== undefined) terminal.warn(`${keySource} still gives a key`);
  return { kind: 'nothing' };
}
