import type { Paths } from '../local/paths.js';
import type { SandboxData } from '../ports/context.js';
import type { Credentials } from '../ports/credentials.js';
import { embed } from './embed.js';
import type { World } from './world.js';

/** The data behind the sandbox profile, for the commands that look at it and change it. */
export async function openData(
  world: World,
  paths: Paths,
  credentials: Credentials,
): Promise<SandboxData & { close(): Promise<void> }> {
  const embedded = await embed(world, paths, credentials);
  return {
    path: embedded.path,
    pets: await embedded.use((store) => store.pets()),
    limits: await embedded.use((store) => store.limits()),
    setPlan: (plan) => embedded.use((store) => store.setPlan(plan)),
    reset: (options) => embedded.use((store) => store.reset(options)),
    close: embedded.close,
  };
}
