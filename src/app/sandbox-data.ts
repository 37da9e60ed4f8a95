import { createLocks } from '../config/lock.js';
import { sandboxOrigin } from '../config/profile.js';
import { hashAccount, openFileLedger } from '../quota/file-ledger.js';
import { emptyLedgerEntry } from '../quota/ledger.js';
import type { AppContext, SandboxData } from './context.js';
import { openEmbeddedServer } from './embed.js';

/** The data behind the sandbox profile, for the commands that look at it and change it. */
export async function openSandboxData(context: AppContext): Promise<SandboxData> {
  const { runtime, config, terminal } = context;
  const onTrouble = (error: unknown) =>
    terminal.warn(`what is known of the quota cannot be forgotten: ${(error as Error).message}`);
  const embedded = await openEmbeddedServer(context);
  context.onClose(embedded.close);
  // What the gate knows of the limits before is no longer true; a petstore that waits sees it too.
  const forgetQuota = () =>
    openFileLedger(config.paths.quota, createLocks(runtime), onTrouble).update(
      hashAccount(sandboxOrigin, embedded.key),
      () => [emptyLedgerEntry, undefined],
    );
  return {
    path: embedded.path,
    pets: await embedded.use((store) => store.countPets()),
    limits: await embedded.use((store) => store.readLimits()),
    setPlan: async (plan) => {
      await embedded.use((store) => store.setPlan(plan));
      await forgetQuota();
    },
    reset: async (options) => {
      await embedded.use((store) => store.reset(options));
      await forgetQuota();
    },
  };
}
