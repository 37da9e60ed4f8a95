import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { run } from './app/run.js';
import type { Runtime } from './app/runtime.js';
import { systemClock } from './clock.js';
import { commandGroups } from './commands/index.js';
import type { LockOwner } from './config/lock.js';
import { createRedactor, Secret } from './config/secret.js';
import { parseBoolean } from './config/setting-types.js';
import { catchSignals } from './terminal/signals.js';
import { openTerminal } from './terminal/terminal.js';

/** Runs the command line of this process and sets its exit code once everything is written. */
export async function main(): Promise<void> {
  const { env } = process;
  const packageDirectory = join(import.meta.dirname, '..');
  const redactor = createRedactor();
  const manDirectory = () => join(packageDirectory, 'man');
  const terminal = openTerminal(process, {
    clock: systemClock,
    redact: redactor.redact,
    manDirectory,
    canPromptInCi: parseBoolean(env.PETSTORE_NO_INPUT ?? '') === false,
  });
  // A key that was typed in the wrong place must not be repeated by an error about that place.
  if (env.PETSTORE_API_KEY) redactor.add(new Secret(env.PETSTORE_API_KEY));
  hideExperimentalWarnings();
  const { closeTerminalOnExit, ...signals } = catchSignals(process);
  const runtime: Runtime = {
    env,
    home: homeDirectory(),
    findWorkingDirectory,
    platform: process.platform,
    clock: systemClock,
    random: Math.random,
    createUuid: () => crypto.randomUUID(),
    lockOwner: createLockOwner(),
    userId: process.getuid?.(),
    nodeVersion: process.versions.node,
    version: packageJson.version,
    packageDirectory,
    terminal,
    redactor,
    ...signals,
  };
  process.exitCode = await run(process.argv.slice(2), runtime, commandGroups);
  closeTerminalOnExit();
  // Node.js shuts down slowly. Synchronous writes are already complete.
  if (!terminal.hasBufferedOutput) process.exit();
}

/** Hides the warning of Node.js 22 and early 24 that their SQLite is experimental. */
function hideExperimentalWarnings(): void {
  const listeners = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning') return;
    for (const listener of listeners) listener(warning);
  });
}

/** Returns the home directory, if the system knows one. An empty HOME must not put API keys into the working directory. */
function homeDirectory(): string | undefined {
  const { HOME, USERPROFILE } = process.env;
  const named = process.platform === 'win32' ? USERPROFILE : HOME;
  if (named && isAbsolute(named)) return named;
  try {
    return userInfo().homedir;
  } catch {
    return undefined;
  }
}

function findWorkingDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/** Returns this process as the owner of locks. Its host is found when a lock is first created or judged. */
function createLockOwner(): LockOwner {
  let host: string | undefined;
  return {
    pid: process.pid,
    get host() {
      host ??= findHost(process.platform);
      return host;
    },
    isProcessAlive,
  };
}

/**
 * Returns a name for everything that shares PIDs with this process. A hostname can change with the network, and two
 * machines that share a home directory can have the same one, such as `localhost`. It is in this file, since each list
 * needs it and may execute only a limited number of files (test/executed-files.test.ts).
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

function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
