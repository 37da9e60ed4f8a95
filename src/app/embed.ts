import type { Transport } from '../api/http.js';
import type { Credentials } from '../config/credentials.js';
import { below, type Paths } from '../config/paths.js';
import { sandboxOrigin, sandboxProfileName } from '../config/profile.js';
import { Secret } from '../config/secret.js';
import { createKey } from '../server/keys.js';
import { openSandbox, type Sandbox } from '../server/sandbox.js';
import { inWords, makeDataDirectory } from './database-failure.js';
import type { World } from './runtime.js';

export interface Embedded extends Pick<Sandbox, 'isNew' | 'close'> {
  readonly path: string;
  readonly key: Secret;
  readonly send: Transport;
  /** Does something with the data; what fails in it failed on this machine. */
  use<Result>(work: (store: Sandbox) => Promise<Result>): Promise<Result>;
}

/** The embedded store as a transport, no port, no socket; data and key are made on first use. */
export async function embed(
  world: Pick<World, 'clock' | 'nodeVersion'>,
  paths: Paths,
  credentials: Credentials,
): Promise<Embedded> {
  const path = below(paths.sandbox, 'store.db');
  makeDataDirectory(paths.sandbox);
  const { key } = await credentials.getOrCreate(sandboxProfileName, () => ({
    key: new Secret(createKey()),
    origin: sandboxOrigin,
  }));
  const { clock, nodeVersion } = world;
  const store = await inWords(
    openSandbox({ path, key: key.reveal(), plan: 'free', clock, nodeVersion }),
  );
  return {
    path,
    key,
    isNew: store.isNew,
    close: store.close,
    send: (request) => inWords(store.handle(request, 'this process')),
    use: (work) => inWords(work(store)),
  };
}
