import { listPets } from '../../api/operations.js';
import type { AppContext } from '../../app/context.js';
import type { Client } from '../../client/client.js';
import type { BaseUrl } from '../../config/base-url.js';
import type { Secret } from '../../config/secret.js';
import { checkBaseUrlHint, Failure } from '../../failure.js';

/** The profile of a login, and where its requests go. */
export interface LoginTarget {
  /** The name of the profile. */
  readonly name: string;
  /** The base URL as given. */
  readonly address: string;
  readonly baseUrl: BaseUrl;
}

export interface Login extends LoginTarget {
  readonly key: Secret;
}

/** Sends one request with the API key. Returns the failure if the login must not be saved. */
export async function verifyLogin(
  { clientAt }: AppContext,
  { name, baseUrl, key }: Login,
): Promise<Failure | undefined> {
  const failure = await verifyKey(() => clientAt(baseUrl, key, name));
  if (!failure) return undefined;
  const { kind, message, details } = failure;
  if (kind === 'auth') {
    const hint = 'check the API key and the base URL, then run the command again';
    const text = `the service rejected the API key, and nothing was saved: ${details.message}`;
    return new Failure(kind, { ...details, message: text, hint });
  }
  const hint = kind === 'not-found' ? checkBaseUrlHint : details.hint;
  return new Failure(kind, { ...details, message, outcome: 'nothing was saved', hint });
}

/** Sends one request and returns its failure. */
export async function verifyKey(openClient: () => Promise<Client>): Promise<Failure | undefined> {
  try {
    const client = await openClient();
    await client.call(listPets, { limit: 1 });
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
