import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { isInstalled } from './is-installed.js';
import type { Run } from './petstore.js';

export const debianNeeds = 'root, mmdebstrap, a Debian mirror';

/** A Debian without petstore in a folder. */
export interface DebianRoot {
  readonly path: string;
  /** Runs a command in it, as root or as another user. */
  run(command: readonly string[], user?: string): Promise<Run>;
}

/** Puts Debian into a folder, or returns nothing if that is impossible here. */
export async function createDebianRoot(folder: string, packages: readonly string[]): Promise<DebianRoot | undefined> {
  if (process.getuid?.() !== 0 || !isInstalled('mmdebstrap') || !isInstalled('unshare')) return undefined;
  const path = join(folder, 'debian');
  const words = ['--variant=essential', `--include=${packages}`, '--format=directory', '--quiet', 'bookworm', path];
  const { failed } = await execa('mmdebstrap', words, { timeout: 500_000, reject: false });
  if (failed) {
    rmSync(path, { recursive: true, force: true, maxRetries: 10 });
    return undefined;
  }
  return { path, run: (command, user = 'root') => runIn(path, command, user) };
}

async function runIn(path: string, command: readonly string[], user: string): Promise<Run> {
  const script = 'mount -t proc proc "$1/proc" && exec chroot "$@"';
  const isolated = ['--mount', '--pid', '--fork', 'sh', '-c', script, 'sh', path];
  const asUser = ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
  const { stdout, stderr, exitCode } = await execa('unshare', [...isolated, ...asUser, ...command], {
    env: { HOME: user === 'root' ? '/root' : `/home/${user}`, PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    extendEnv: false,
    reject: false,
  });
  return { stdout, stderr, exitCode };
}
