import { join } from 'node:path';
import type { Transport } from '../api/http.js';
import { sandboxOrigin, sandboxProfileName } from '../config/profile.js';
import { Secret } from '../config/secret.js';
import { generateApiKey } from '../server/api-keys.js';
import { openSandbox, type Sandbox } from '../server/sandbox.js';
import type { AppContext } from './context.js';
import { makeDataDirectory, mapDatabaseError } from './database-failure.js';

export interface EmbeddedServer extends Pick<Sandbox, 'isNew' | 'close'> {
  readonly path: string;
  readonly key: Secret;
  readonly send: Transport;
  /** Does something with the data; what fails in it failed on this machine. */
  use<Result>(work: (store: Sandbox) => Promise<Result>): Promise<Result>;
}

/** The embedded store as a transport, no port, no socket; data and key are made on first use. */
export async function openEmbeddedServer({
  runtime,
  clock,
  config,
}: AppContext): Promise<EmbeddedServer> {
  const { credentials, paths } = config;
  const path = join(paths.sandbox, 'store.db');
  makeDataDirectory(paths.sandbox);
  const { key } = await credentials.getOrCreate(sandboxProfileName, () => ({
    key: new Secret(generateApiKey()),
    origin: sandboxOrigin,
  }));
  const { nodeVersion } = runtime;
  const store = await mapDatabaseError(
    openSandbox({ path, key: key.reveal(), plan: 'free', clock, nodeVersion }),
  );
  return {
    path,
    key,
    isNew: store.isNew,
    close: store.close,
    send: (request) => mapDatabaseError(store.handler(request, 'this process')),
    use: (work) => mapDatabaseError(work(store)),
  };
}
