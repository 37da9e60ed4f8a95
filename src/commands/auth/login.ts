import { listPets } from '../../api/operations.js';
import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import type { Client } from '../../client/client.js';
import type { BaseUrl } from '../../config/base-url.js';
import { sandboxProfileName } from '../../config/profile.js';
import type { Secret } from '../../config/secret.js';
import { getSettingOrigin } from '../../config/settings.js';
import { Failure, usageError } from '../../failure.js';

export interface LoginOptions {
  readonly withKey?: true;
  readonly keyring?: true;
}

/** Verifies a key before anything is stored; a key that is refused changes nothing. */
export async function login(context: AppContext, options: LoginOptions): Promise<CommandResult> {
  const {
    settings,
    config: { profiles, credentials },
  } = context;
  const name = await chooseProfile(context);
  const known = settings.baseUrl ?? profiles.get(name).baseUrl;
  const address = known ?? (await askBaseUrl(context, name));
  const baseUrl = context.config.parseBaseUrl(address);
  const key = options.withKey ? await readKey(context) : await askKey(context, name, baseUrl);
  const client = await context.connections.clientAt(baseUrl, key, name);
  await verify(client);
  await credentials.store(
    name,
    { key, origin: baseUrl.origin },
    options.keyring ? 'keyring' : 'file',
  );
  if (address !== profiles.get(name).baseUrl) await profiles.set(name, { baseUrl: address });
  await profiles.use(name);
  const where = options.keyring ? 'the system keyring' : credentials.path;
  context.terminal.notice(
    `logged in: profile ${name} is now current; its key ${key.masked()} for ${baseUrl.origin} is in ${where}`,
  );
  warnOfOthers(context, name);
  return { kind: 'nothing' };
}

/** The environment wins over what was just stored. */
function warnOfOthers(
  { settings, terminal: { warn }, config: { keyVariable } }: AppContext,
  name: string,
): void {
  if (keyVariable !== undefined) warn(`${keyVariable} still gives another key`);
  if (getSettingOrigin(settings, 'profile') === 'environment' && settings.profile !== name) {
    warn(`PETSTORE_PROFILE still chooses ${settings.profile}`);
  }
}

async function verify(client: Client): Promise<void> {
  try {
    await client.call(listPets, { limit: 1 });
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'auth') throw error;
    const { message } = error.details;
    throw new Failure('auth', {
      ...error.details,
      message: `the service rejects this key, so nothing was stored: ${message}`,
      hint: undefined,
    });
  }
}

/** The profile that a flag or a variable names, else the answer of a person, else the current one. */
async function chooseProfile({
  settings,
  terminal: { prompts },
  config: { profiles },
}: AppContext): Promise<string> {
  const source = getSettingOrigin(settings, 'profile');
  const named = source === 'flag' || source === 'environment';
  if (!named && prompts.isInteractive) {
    const others = profiles.list().filter(({ name }) => name !== sandboxProfileName);
    return prompts.select({
      message: 'Which profile?',
      missingInputMessage: 'pass --profile',
      choices: others.map(({ name }) => ({ name, value: name })),
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

function askBaseUrl(
  { terminal: { prompts }, config: { parseBaseUrl } }: AppContext,
  name: string,
): Promise<string> {
  return prompts.input({
    message: `Base URL of ${name}:`,
    missingInputMessage: `the profile ${name} has no base URL yet: pass --base-url https://…/v1`,
    validate: (answer) => problemOf(() => parseBaseUrl(answer)),
  });
}

async function readKey(context: AppContext): Promise<Secret> {
  const input = await context.terminal.readInput('-', 4_096);
  return context.config.parseApiKey(new TextDecoder().decode(input), 'standard input');
}

async function askKey(
  { terminal: { prompts }, config: { parseApiKey } }: AppContext,
  name: string,
  { origin }: BaseUrl,
): Promise<Secret> {
  const answer = await prompts.password({
    message: `API key of ${name} for ${origin}:`,
    missingInputMessage: 'pass --with-key and the API key on standard input',
    validate: (typed) => problemOf(() => parseApiKey(typed, 'this')),
  });
  return parseApiKey(answer, 'the answer');
}

function problemOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
