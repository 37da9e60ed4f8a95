import { readFileSync, readlinkSync } from 'node:fs';

/**
 * Names what process ids here are unique in: this start of the machine and, in containers, their namespace. Hosts
 * of a fleet may all bear one name. Nothing where the system does not tell.
 */
export function findPidSpace(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
    const namespace = /[0-9]+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
    return /^[0-9a-f]{8}$/.test(boot) && namespace ? `${boot}-${namespace}` : undefined;
  } catch {
    return undefined;
  }
}
