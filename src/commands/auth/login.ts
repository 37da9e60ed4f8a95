import { listPets } from '../../contract/operations.js';
import type { Context } from '../../ports/context.js';
import { usage } from '../../ports/failure.js';
import { sandbox } from '../../ports/settings.js';
import type { Shown } from '../../ports/view.js';

export interface LoginOptions {
  readonly withKey?: true;
  readonly keyring?: true;
}

/** Verifies a key before anything is stored; a key that is refused changes nothing. */
export async function login(context: Context, { withKey, keyring }: LoginOptions): Promise<Shown> {
  const { settings, profiles, credentials } = context;
  const name = settings.profile;
  if (name === sandbox) {
    throw usage(
      'embedded_profile',
      'the sandbox has its own key and takes no other',
      'pass --profile staging or --profile production',
    );
  }
  const address = settings.baseUrl ?? profiles.get(name).baseUrl;
  if (address === undefined) {
    throw usage(
      'no_base_url',
      `the profile ${name} has no base URL yet`,
      'pass --base-url https://…/v1',
    );
  }
  const baseUrl = context.parseBaseUrl(address);
  if (!withKey) throw usage('missing_flag', 'pass --with-key and the API key on standard input');
  const input = new TextDecoder().decode(await context.readInput('-', 4_096));
  const key = context.parseKey(input, 'standard input');
  const client = await context.clientAt(baseUrl, key);
  await client.call(listPets, { limit: 1 });
  await credentials.store(name, { key, origin: baseUrl.origin }, keyring ? 'keyring' : 'file');
  if (settings.baseUrl !== undefined) await profiles.set(name, { baseUrl: address });
  await profiles.use(name);
  context.notice(
    `logged in: profile ${name} is now current, with the key ${key.masked()} for ${baseUrl.origin}`,
  );
  return { kind: 'nothing' };
}
