import { type Clock, withTimeout } from '../clock.js';
import { Failure } from '../failure.js';

/**
 * The keyring of the operating system: Keychain, Credential Manager or Secret Service. Every method throws a
 * `Failure` (system) if it fails or takes longer than 3 s.
 */
export interface Keyring {
  get(account: string): Promise<string | undefined>;
  set(account: string, secret: string): Promise<void>;
  remove(account: string): Promise<boolean>;
  /** Stores, reads and removes a test value. */
  selfTest(): Promise<void>;
}

export function openKeyring(clock: Clock): Keyring {
  const call = async <Result>(
    account: string,
    work: (entry: Entry, signal: AbortSignal) => Promise<Result>,
  ) => {
    const AsyncEntry = await loadEntry();
    const controller = new AbortController();
    try {
      // Without this option, Linux uses the keys of the kernel, which are lost on a restart.
      const entry = new AsyncEntry('petstore', account, { linux: { store: 'secret-service' } });
      return await withTimeout(work(entry, controller.signal), timeoutMs, clock, () => {
        controller.abort();
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

const timeoutMs = 3_000;

type Entry = InstanceType<typeof import('@napi-rs/keyring').AsyncEntry>;

async function loadEntry() {
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
