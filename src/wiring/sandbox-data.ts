import { accountOf, openLedger } from '../local/ledger.js';
import type { SandboxData } from '../ports/context.js';
import { unknownEntry } from '../ports/ledger.js';
import { sandboxOrigin } from '../ports/profile.js';
import { embed } from './embed.js';
import type { Surroundings } from './world.js';

/** The data behind the sandbox profile, for the commands that look at it and change it. */
export async function openData({
  world,
  paths,
  credentials,
  warning,
}: Pick<Surroundings, 'world' | 'paths' | 'credentials' | 'warning'>): Promise<
  SandboxData & { close(): Promise<void> }
> {
  const { clock, holder } = world;
  const onTrouble = (error: unknown) =>
    warning(`what is known of the quota cannot be forgotten: ${(error as Error).message}`);
  const embedded = await embed(world, paths, credentials);
  // What the gate knows of the limits before is no longer true; a petstore that waits sees it too.
  const forgetQuota = () =>
    openLedger(paths.quota, { clock, holder }, onTrouble).update(
      accountOf(sandboxOrigin, embedded.key),
      () => [unknownEntry, undefined],
    );
  return {
    path: embedded.path,
    pets: await embedded.use((store) => store.pets()),
    limits: await embedded.use((store) => store.limits()),
    setPlan: async (plan) => {
      await embedded.use((store) => store.setPlan(plan));
      await forgetQuota();
    },
    reset: async (options) => {
      await embedded.use((store) => store.reset(options));
      await forgetQuota();
    },
    close: embedded.close,
  };
}
