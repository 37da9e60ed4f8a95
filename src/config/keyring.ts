import { type Clock, withTimeout } from '../clock.js';
import { Failure } from '../failure.js';

const timeoutMs = 3_000;

export type Keyring = ReturnType<typeof openKeyring>;

/**
 * Opens the keyring of the operating system: Keychain, Credential Manager or Secret Service. Every method throws a
 * `Failure` (system) if it fails or takes longer than 3 s.
 */
export function openKeyring(clock: Clock) {
  const call = async <Result>(account: string, work: (entry: Entry, signal: AbortSignal) => Promise<Result>) => {
    const { AsyncEntry } = await import('@napi-rs/keyring').catch(({ code }: NodeJS.ErrnoException) => {
      throw unusable(`the optional package @napi-rs/keyring cannot be loaded (${code})`);
    });
    const controller = new AbortController();
    try {
      // Without this option, Linux uses the keys of the kernel, which are lost on a restart.
      const entry = new AsyncEntry('petstore', account, { linux: { store: 'secret-service' } });
      return await withTimeout(work(entry, controller.signal), timeoutMs, clock, () => {
        controller.abort();
        throw unusable(`no response within ${timeoutMs / 1000} seconds`);
      });
    } catch (error) {
      throw error instanceof Failure ? error : unusable((error as Error).message);
    }
  };
  const keyring = {
    get: (account: string) => call(account, async (entry, signal) => (await entry.getPassword(signal)) ?? undefined),
    set: (account: string, secret: string) => call(account, (entry, signal) => entry.setPassword(secret, signal)),
    remove: (account: string) => call(account, (entry, signal) => entry.deletePassword(signal)),
    /** Stores, reads and removes a test value. */
    selfTest: async () => {
      const token = `proof-${clock.now()}`;
      await keyring.set(token, token);
      const read = await keyring.get(token);
      await keyring.remove(token);
      if (read !== token) throw unusable('a test value was not saved');
    },
  };
  return keyring;
}

type Entry = InstanceType<typeof import('@napi-rs/keyring').AsyncEntry>;

function unusable(reason: string): Failure {
  return new Failure('system', {
    code: 'keyring_unusable',
    message: `cannot use the system keyring: ${reason}`,
    hint: 'omit --keyring to save the API key in a private file',
  });
}
