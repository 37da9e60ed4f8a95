import { findPlanByLimits, type Plan } from '../api/plan.js';
import { createLocks } from '../config/lock.js';
import { sandboxOrigin } from '../config/profile.js';
import { hashAccount, openFileQuotaStore } from '../quota/file-quota-store.js';
import { emptyQuotaState } from '../quota/quota-state.js';
import { samplePetStatements } from '../server/sample-pets.js';
import { generatePets, restoreStateStatements, selectStateStatement } from '../server/sandbox-state.js';
import type { Statement } from '../server/sql.js';
import type { AppContext, SandboxData, SandboxPets } from './context.js';
import { openEmbeddedServer, renewDataId } from './sandbox.js';
import { checkNewSavedSandbox, listSavedSandboxes, readSavedSandbox, writeSavedSandbox } from './saved-sandboxes.js';

/** Opens the data behind the sandbox profile; it is closed with the context. */
export async function openSandboxData(context: AppContext): Promise<SandboxData> {
  const { runtime, config, terminal } = context;
  const { paths } = config;
  const onStoreError = (error: unknown) => terminal.warn(`cannot reset the quota state: ${(error as Error).message}`);
  const embedded = await openEmbeddedServer(context);
  context.onClose(embedded.close);
  // The limits change, so the quota state is obsolete, even for processes that wait.
  const resetQuotaState = () => {
    const account = hashAccount(sandboxOrigin, embedded.key);
    const store = openFileQuotaStore(paths.quota, account, createLocks(runtime), onStoreError);
    return store.update(() => [emptyQuotaState, undefined]);
  };
  const replacePets = async (pets: readonly Statement[], plan?: Plan) => {
    await embedded.use((sandbox) => sandbox.replacePets(pets, plan));
    renewDataId(paths.sandbox, runtime);
    await resetQuotaState();
  };
  return {
    path: embedded.path,
    pets: await embedded.use((sandbox) => sandbox.countPets()),
    limits: await embedded.use((sandbox) => sandbox.readLimits()),
    saved: listSavedSandboxes(paths),
    setPlan: async (plan) => {
      await embedded.use((sandbox) => sandbox.setPlan(plan));
      await resetQuotaState();
    },
    reset: (pets, plan) => replacePets(insertStatements(pets), plan),
    save: async (name, { force }) => {
      checkNewSavedSandbox(paths, { name, force });
      const text = await embedded.use(async (sandbox) => {
        const plan = findPlanByLimits(await sandbox.readLimits());
        const [row] = await sandbox.read(selectStateStatement(plan));
        return String(row?.state);
      });
      await writeSavedSandbox(paths, { name, text, force }, runtime);
    },
    openSaved: (name) => {
      const state = readSavedSandbox(paths, name);
      return async () => {
        await replacePets(restoreStateStatements(state), state.plan);
        return state.petCount;
      };
    },
  };
}

function insertStatements(pets: SandboxPets): readonly Statement[] {
  if (pets === 'none') return [];
  return pets === 'sample' ? samplePetStatements() : restoreStateStatements(generatePets(pets));
}
