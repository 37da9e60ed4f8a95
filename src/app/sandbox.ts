import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpRequest } from '../api/http.js';
import { versionSegment } from '../api/operations.js';
import type { Plan } from '../api/plan.js';
import { completeOutcome } from '../client/outcome.js';
import { makeDirectory, withLock } from '../config/files.js';
import { sandboxOrigin } from '../config/profile.js';
import { Secret } from '../config/secret.js';
import { sandboxProfileName } from '../config/settings.js';
import type { HintParts } from '../failure.js';
import { hashAccount } from '../quota/quota-store.js';
import { generateApiKey } from '../server/api-keys.js';
import { samplePetStatements } from '../server/sample-pets.js';
import { openSandbox } from '../server/sandbox.js';
import type { Parts } from './parts.js';
import { openStore } from './quota.js';

/** Opens the transport to the embedded server, which needs no port. */
export async function openSandboxTransport(parts: Parts) {
  const { terminal } = parts;
  const { sandbox, key } = await openData(parts);
  if (sandbox.isNew) {
    terminal.notice('You are using the sandbox: sample pets on this machine.');
    const login = ['auth', 'login', '--profile', 'production', '--base-url', { placeholder: '<url>' }];
    terminal.notice(['To use a real service, run ', { words: login }, '.']);
  }
  return {
    label: sandboxProfileName,
    origin: sandboxOrigin,
    path: versionSegment,
    key,
    keySource: 'the sandbox',
    limitHint: ['run ', { words: ['sandbox', 'plan', 'enterprise'] }, ' to raise the limits'] satisfies HintParts,
    dataId: () => findDataId(parts),
    close: sandbox.close,
    send: async (request: HttpRequest) => {
      const response = await sandbox.handle(request);
      // SQLite blocks the thread. Between two requests, signals must arrive and progress must be drawn.
      await new Promise((resolve) => setImmediate(resolve));
      return completeOutcome(request, response);
    },
  };
}

/** Opens the data behind the sandbox profile. */
export async function openSandboxData(parts: Parts) {
  const { terminal, onClose } = parts;
  const { sandbox, key, path } = await openData(parts);
  onClose(sandbox.close);
  // The limits change, so the quota state is obsolete, even for processes that wait.
  const resetQuotaState = async () => {
    const account = hashAccount(sandboxOrigin, key);
    const store = await openStore(account, 'sandbox', parts, terminal.warn);
    await store.remove().catch((error: Error) => terminal.warn(`cannot reset the quota state: ${error.message}`));
  };
  return {
    path,
    pets: await sandbox.countPets(),
    limits: await sandbox.readLimits(),
    /** Sets the limits of a plan; keeps the pets. */
    setPlan: async (plan: Plan) => {
      await sandbox.setPlan(plan);
      await resetQuotaState();
    },
    /** Replaces all pets with sample pets and resets the quota. Without a plan, the limits stay. */
    reset: async (sampleCount: number, plan?: Plan) => {
      await sandbox.replacePets(samplePetStatements(sampleCount));
      if (plan) await sandbox.setPlan(plan);
      // Journals of imports into the earlier data are void.
      rmSync(dataIdPath(parts), { force: true });
      await resetQuotaState();
    },
  };
}

/** Opens the embedded server; creates its data and API key on first use. */
async function openData({ runtime, config: { credentials, paths } }: Parts) {
  const path = join(paths.sandbox, 'store.db');
  makeDirectory(paths.sandbox);
  const createKey = () => new Secret(generateApiKey());
  const key = await credentials.getOrCreate(sandboxProfileName, sandboxOrigin, createKey);
  const { clock, nodeVersion } = runtime;
  return { path, key, sandbox: await openSandbox({ path, key: key.reveal(), plan: 'free', clock, nodeVersion }) };
}

/** Resolves to the id of the data in the sandbox. Creates it on first use, under a lock: two imports need the same id. */
function findDataId(parts: Parts): Promise<string> {
  const path = dataIdPath(parts);
  return withLock(path, { clock: parts.runtime.clock }, () => {
    if (!existsSync(path)) writeFileSync(path, parts.runtime.createUuid(), { mode: 0o600 });
    return readFileSync(path, 'utf8');
  });
}

function dataIdPath({ config }: Parts): string {
  return join(config.paths.sandbox, 'data-id');
}
