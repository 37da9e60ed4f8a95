import { type Clock, withTimeout } from '../clock.js';
import { Failure } from '../failure.js';

/** The secrets of this user that the operating system keeps. Every call fails (system) after 3 s. */
export interface Keyring {
  get(account: string): Promise<string | undefined>;
  set(account: string, secret: string): Promise<void>;
  remove(account: string): Promise<boolean>;
  /** Stores, reads and removes a secret of no worth; fails (system) where that does not work. */
  selfTest(): Promise<void>;
}

/**
 * The keyring: the Keychain, the Credential Manager, or the Secret Service. On Linux it is pinned to the
 * last, since the library else takes the kernel's keys, silently, which are gone after a restart.
 */
export function openKeyring(clock: Clock): Keyring {
  const call = async <Result>(
    account: string,
    work: (entry: Entry, signal: AbortSignal) => Promise<Result>,
  ) => {
    const AsyncEntry = await load();
    const late = new AbortController();
    try {
      const entry = new AsyncEntry('petstore', account, { linux: { store: 'secret-service' } });
      return await withTimeout(work(entry, late.signal), patience, clock, () => {
        late.abort();
        throw unusable('it did not answer within 3 seconds');
      });
    } catch (error) {
      throw error instanceof Failure ? error : unusable((error as Error).message);
    }
  };
  const keyring: Keyring = {
    get: (account) =>
      call(account, async (entry, signal) => (await entry.getPassword(signal)) ?? undefined),
    set: (account, secret) => call(account, (entry, signal) => entry.setPassword(secret, signal)),
    remove: (account) => call(account, (entry, signal) => entry.deletePassword(signal)),
    selfTest: async () => {
      const token = `proof-${clock.now()}`;
      await keyring.set(token, token);
      const read = await keyring.get(token);
      await keyring.remove(token);
      if (read !== token) throw unusable('what it stores does not come back');
    },
  };
  return keyring;
}

const patience = 3_000;

type Entry = InstanceType<typeof import('@napi-rs/keyring').AsyncEntry>;

async function load() {
  try {
    return (await import('@napi-rs/keyring')).AsyncEntry;
  } catch {
    throw unusable('the optional package @napi-rs/keyring is not installed');
  }
}

function unusable(reason: string): Failure {
  return new Failure('system', {
    code: 'keyring_unusable',
    message: `the system keyring cannot be used: ${reason}`,
    hint: 'without --keyring the key is kept in a file that only you can read',
  });
}
