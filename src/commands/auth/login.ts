import type { AppContext } from '../../app/context.js';
import { sandboxProfileName } from '../../config/settings.js';
import { findKeyVariable } from '../../config/target.js';
import { usageError } from '../../failure.js';
import { toUtf8 } from '../../format/decode-text.js';
import { warnIfOverridden } from '../config-warnings.js';
import { getSavedUrl, promptForLogin, promptForTarget } from './prompt-login.js';
import { type Login, verifyLogin } from './verify-login.js';

/** Verifies an API key, saves it and makes its profile current, which may be new. An invalid API key changes nothing. */
export async function login(
  context: AppContext,
  { withKey, keyring }: { readonly withKey?: true; readonly keyring?: true },
): Promise<void> {
  const problem = context.config.problems.find(({ details }) => details.code !== 'unknown_profile');
  if (problem) throw problem;
  // Before the user enters anything.
  if (keyring) await context.config.credentials.testKeyring();
  await saveLogin(context, await (withKey ? readLogin(context) : promptForLogin(context)), keyring);
}

/** Saves the login, and says whether its profile is new and what it replaced. */
async function saveLogin(
  context: AppContext,
  { name, address, baseUrl: { origin }, key }: Login,
  keyring = false,
): Promise<void> {
  const { config, terminal, runtime } = context;
  const { profiles, credentials } = config;
  const isNew = !profiles.list().some((profile) => profile.name === name);
  const oldUrl = getSavedUrl(context, name);
  const old = credentials.getInfo(name);
  await credentials.store(name, key, origin, keyring);
  if (address !== oldUrl) await profiles.set(name, { baseUrl: address });
  await profiles.use(name);
  const changes = [
    ...(isNew ? [`Created profile ${name}.`] : []),
    ...(oldUrl !== undefined && oldUrl !== address ? [`Replaced the base URL ${oldUrl}.`] : []),
    ...(old && old.key?.reveal() !== key.reveal()
      ? [`Replaced the API key ${old.key?.mask() ?? 'in the system keyring'}.`]
      : []),
    `The API key is saved in ${keyring ? 'the system keyring' : credentials.path}.`,
    `The current profile is now ${name}.`,
  ];
  terminal.success(`Logged in to ${name} at ${origin} with API key ${key.mask()}`);
  terminal.notice(changes.join(' '));
  // The environment overrides the saved values.
  const variable = findKeyVariable(runtime.env);
  if (variable) {
    terminal.warn(`${variable} overrides the saved API key; unset the variable to use the saved API key`);
  }
  warnIfOverridden(context, name);
}

/** Returns the login with an API key from standard input, after the service has accepted it. */
async function readLogin(context: AppContext): Promise<Login> {
  const target = await promptForTarget(context);
  const input = await context.terminal.readInput('-', 4_096);
  const text = new TextDecoder().decode(toUtf8(input));
  const key = context.config.parseApiKey(text, 'standard input');
  const failure = await verifyLogin(context, { ...target, key });
  if (failure) throw failure;
  return { ...target, key };
}

/** Deletes the saved API key of the profile. Warns if the environment provides another. */
export async function logout({ settings, config, terminal, runtime }: AppContext): Promise<void> {
  const name = settings.profile;
  if (name === sandboxProfileName) {
    throw usageError('embedded_profile', 'cannot log out of the sandbox; pass --profile <name>');
  }
  const hadKey = await config.credentials.remove(name);
  if (hadKey) terminal.success(`Logged out of ${name} and deleted its API key`);
  else terminal.notice(`Profile ${name} has no saved API key.`);
  const variable = findKeyVariable(runtime.env);
  if (variable) terminal.warn(`${variable} still provides an API key; unset the variable to log out completely`);
}
