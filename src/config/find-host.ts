import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Returns a name for everything that shares PIDs with this process. A hostname can change with the network, and two
 * machines that share a home directory can have the same one, such as `localhost`.
 */
export function findHost(platform: NodeJS.Platform): string {
  try {
    if (platform === 'linux') return findLinuxHost();
    if (platform === 'darwin') return findMacHost();
  } catch {
    // The hostname has to do.
  }
  return hostname();
}

function findLinuxHost(): string {
  const [namespace = ''] = /\d+/.exec(readlinkSync('/proc/self/ns/pid')) ?? [];
  // Containers often share the machine id of their image.
  if (namespace !== initialPidNamespace) return `${hostname()}-${namespace}`;
  const id = readFileSync('/etc/machine-id', 'utf8').trim();
  return /^[0-9a-f]{32}$/.test(id) ? id : hostname();
}

/** Number of the first PID namespace of every Linux kernel (`PROC_PID_INIT_INO`). */
const initialPidNamespace = '4026531836';

/** Reading the hardware UUID takes a process. This file is created once, when macOS is set up. */
function findMacHost(): string {
  const { ino, birthtimeNs } = statSync('/private/var/db/.AppleSetupDone', { bigint: true });
  return `${ino}-${birthtimeNs}`;
}
