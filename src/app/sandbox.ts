import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpRequest } from '../api/http.js';
import { createLocks } from '../config/lock.js';
import { sandboxOrigin, sandboxProfileName } from '../config/profile.js';
import { Secret } from '../config/secret.js';
import { hashAccount, openFileLedger } from '../quota/file-ledger.js';
import { emptyLedgerEntry } from '../quota/ledger.js';
import { generateApiKey } from '../server/api-keys.js';
import { openSandbox, type Sandbox } from '../server/sandbox.js';
import type { AppContext, SandboxData } from './context.js';
import { makeDataDirectory, mapDatabaseError } from './database.js';
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
  const sandbox = await mapDatabaseError(openSandbox({ path, key: key.reveal(), plan: 'free', clock, nodeVersion }));
  return {
    path,
    key,
    isNew: sandbox.isNew,
    dataId: () => findDataId(paths.sandbox, runtime),
    close: sandbox.close,
    send: (request: HttpRequest) => mapDatabaseError(sandbox.handler(request, 'this process')),
    /** Works with the data; database errors become failures (system). */
    use: <Result>(work: (sandbox: Sandbox) => Promise<Result>) => mapDatabaseError(work(sandbox)),
  };
}

/** Returns the id of the data in the sandbox. Creates it on first use. */
function findDataId(directory: string, runtime: Runtime): string {
  const path = join(directory, dataIdFile);
  return existsSync(path) ? readFileSync(path, 'utf8') : renewDataId(directory, runtime);
}

/** Replaces the id of the data, since journals of imports into earlier data are void. */
function renewDataId(directory: string, { createUuid }: Runtime): string {
  const id = createUuid();
  writeFileSync(join(directory, dataIdFile), id, { mode: 0o600 });
  return id;
}

const dataIdFile = 'data-id';

export async function openSandboxData(context: AppContext): Promise<SandboxData> {
  const { runtime, config, terminal } = context;
  const onLedgerError = (error: unknown) => terminal.warn(`cannot reset the quota state: ${(error as Error).message}`);
  const embedded = await openEmbeddedServer(context);
  context.onClose(embedded.close);
  // The limits change, so the ledger entry is obsolete, even for processes that wait.
  const resetLedgerEntry = () => {
    const account = hashAccount(sandboxOrigin, embedded.key);
    const ledger = openFileLedger(config.paths.quota, account, createLocks(runtime), onLedgerError);
    return ledger.update(() => [emptyLedgerEntry, undefined]);
  };
  return {
    path: embedded.path,
    pets: await embedded.use((sandbox) => sandbox.countPets()),
    limits: await embedded.use((sandbox) => sandbox.readLimits()),
    setPlan: async (plan) => {
      await embedded.use((sandbox) => sandbox.setPlan(plan));
      await resetLedgerEntry();
    },
    reset: async (options) => {
      await embedded.use((sandbox) => sandbox.reset(options));
      renewDataId(config.paths.sandbox, runtime);
      await resetLedgerEntry();
    },
  };
}
