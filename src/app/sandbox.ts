import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpRequest } from '../api/http.js';
import { versionSegment } from '../api/operations.js';
import type { Plan } from '../api/plan.js';
import { completeOutcome } from '../client/outcome.js';
import { sandboxOrigin, sandboxProfileName } from '../config/profile.js';
import { Secret } from '../config/secret.js';
import type { Settings } from '../config/settings.js';
import type { HintParts } from '../failure.js';
import { hashAccount } from '../quota/quota-store.js';
import { generateApiKey } from '../server/api-keys.js';
import { samplePetStatements } from '../server/sample-pets.js';
import { openSandbox } from '../server/sandbox.js';
import type { CommandTerminal } from './command-terminal.js';
import type { Configuration } from './configuration.js';
import { makeDataDirectory } from './database.js';
import { openStore } from './quota.js';
import type { Runtime } from './runtime.js';

interface SandboxDeps {
  readonly runtime: Runtime;
  readonly settings: Settings;
  readonly terminal: CommandTerminal;
  readonly config: Configuration;
}

/** Opens the transport to the embedded server, which needs no port. */
export async function openSandboxTransport(deps: SandboxDeps) {
  const { terminal, config, runtime } = deps;
  const { sandbox, key } = await openData(deps);
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
    dataId: () => findDataId(config.paths.sandbox, runtime),
    close: sandbox.close,
    send: async (request: HttpRequest) => {
      const response = await sandbox.handle(request);
      // SQLite blocks the thread. Between two requests, signals must arrive and progress must be drawn.
      await new Promise((resolve) => setImmediate(resolve));
      return completeOutcome(request, response);
    },
  };
}

/** The data behind the sandbox profile. */
export type SandboxData = Awaited<ReturnType<typeof openSandboxData>>;

/** Opens the data behind the sandbox profile. */
export async function openSandboxData(deps: SandboxDeps) {
  const { runtime, settings, config, terminal } = deps;
  const { paths } = config;
  const { sandbox, key, path } = await openData(deps);
  // The limits change, so the quota state is obsolete, even for processes that wait.
  const resetQuotaState = async () => {
    const account = hashAccount(sandboxOrigin, key);
    const store = await openStore(account, 'sandbox', { runtime, settings, paths }, terminal.warn);
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
      renewDataId(paths.sandbox, runtime);
      await resetQuotaState();
    },
    close: sandbox.close,
  };
}

/** Opens the embedded server; creates its data and API key on first use. */
async function openData({ runtime, config: { credentials, paths } }: SandboxDeps) {
  const path = join(paths.sandbox, 'store.db');
  makeDataDirectory(paths.sandbox);
  const { key } = await credentials.getOrCreate(sandboxProfileName, () => ({
    key: new Secret(generateApiKey()),
    origin: sandboxOrigin,
  }));
  const { clock, nodeVersion } = runtime;
  return { path, key, sandbox: await openSandbox({ path, key: key.reveal(), plan: 'free', clock, nodeVersion }) };
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
