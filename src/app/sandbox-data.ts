import { sandboxOrigin } from '../config/profile.js';
import { hashAccount } from '../quota/quota-store.js';
import { samplePetStatements } from '../server/sample-pets.js';
import type { AppContext, SandboxData } from './context.js';
import { openStore } from './quota.js';
import { openEmbeddedServer, renewDataId } from './sandbox.js';

/** Opens the data behind the sandbox profile; it is closed with the context. */
export async function openSandboxData(context: AppContext): Promise<SandboxData> {
  const { runtime, config, terminal } = context;
  const { paths } = config;
  const onStoreError = (error: unknown) => terminal.warn(`cannot reset the quota state: ${(error as Error).message}`);
  const embedded = await openEmbeddedServer(context);
  context.onClose(embedded.close);
  const { sandbox } = embedded;
  // The limits change, so the quota state is obsolete, even for processes that wait.
  const resetQuotaState = async () => {
    const account = hashAccount(sandboxOrigin, embedded.key);
    const store = await openStore(account, 'sandbox', context, terminal.warn);
    await store.remove().catch(onStoreError);
  };
  return {
    path: embedded.path,
    pets: await sandbox.countPets(),
    limits: await sandbox.readLimits(),
    setPlan: async (plan) => {
      await sandbox.setPlan(plan);
      await resetQuotaState();
    },
    reset: async (sampleCount, plan) => {
      await sandbox.replacePets(samplePetStatements(sampleCount));
      if (plan) await sandbox.setPlan(plan);
      renewDataId(paths.sandbox, runtime);
      await resetQuotaState();
    },
  };
}
