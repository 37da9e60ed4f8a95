import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpRequest } from '../api/http.js';
import { completeOutcome } from '../client/outcome.js';
import { sandboxOrigin, sandboxProfileName } from '../config/profile.js';
import { Secret } from '../config/secret.js';
import { generateApiKey } from '../server/api-keys.js';
import { openSandbox } from '../server/sandbox.js';
import type { AppContext } from './context.js';
import { makeDataDirectory } from './database.js';
import { toDatabaseFailure } from './database-failure.js';
import type { Runtime } from './runtime.js';

/** Opens the embedded server, which needs no port; creates its data and API key on first use. */
export async function openEmbeddedServer({ runtime, clock, config }: AppContext) {
  const { credentials, paths } = config;
  const path = join(paths.sandbox, 'store.db');
  makeDataDirectory(paths.sandbox);
  const { key } = await credentials.getOrCreate(sandboxProfileName, () => ({
    key: new Secret(generateApiKey()),
    origin: sandboxOrigin,
  }));
  const { nodeVersion } = runtime;
  const sandbox = await openSandbox({ path, key: key.reveal(), plan: 'free', clock, nodeVersion });
  return {
    path,
    key,
    isNew: sandbox.isNew,
    dataId: () => findDataId(paths.sandbox, runtime),
    close: sandbox.close,
    send: async (request: HttpRequest) => {
      const response = await sandbox.handle(request).catch((error: unknown) => {
        throw toDatabaseFailure(error);
      });
      // SQLite blocks the thread. Between two requests, signals must arrive and progress must be drawn.
      await new Promise((resolve) => setImmediate(resolve));
      return completeOutcome(request, response);
    },
    sandbox,
  };
}

/** Returns the id of the data in the sandbox. Creates it on first use. */
function findDataId(directory: string, runtime: Runtime): string {
  const path = join(directory, dataIdFile);
  return existsSync(path) ? readFileSync(path, 'utf8') : renewDataId(directory, runtime);
}

/** Replaces the id of the data, since journals of imports into earlier data are void. */
export function renewDataId(directory: string, { createUuid }: Runtime): string {
  const id = createUuid();
  writeFileSync(join(directory, dataIdFile), id, { mode: 0o600 });
  return id;
}

const dataIdFile = 'data-id';
