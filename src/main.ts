import { isAbsolute, join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { run } from './app/run.js';
import type { Runtime } from './app/runtime.js';
import { systemClock } from './clock.js';
import { petstore } from './commands/index.js';
import { noInputVariable } from './config/environment.js';
import { createRedactor, Secret } from './config/secret.js';
import { parseBoolean } from './config/setting-types.js';
import { catchSignals } from './terminal/signals.js';
import { openTerminal } from './terminal/terminal.js';

/** Runs the command line of this process and sets its exit code once everything is written. */
export async function main(): Promise<void> {
  const { env } = process;
  const packageDirectory = join(import.meta.dirname, '..');
  const redactor = createRedactor();
  const { closeTerminalOnExit, leaveInterrupts, ...signals } = catchSignals(process, systemClock);
  const terminal = await openTerminal(process, {
    clock: systemClock,
    redact: redactor.redact,
    signal: signals.signal,
    leaveInterrupts,
    canPromptInCi: parseBoolean(env[noInputVariable] ?? '') === false,
  });
  // A key that was typed in the wrong place must not be repeated by an error about that place.
  if (env.PETSTORE_API_KEY) redactor.add(new Secret(env.PETSTORE_API_KEY));
  hideExperimentalWarnings();
  const runtime: Runtime = {
    env,
    home: await homeDirectory(),
    platform: process.platform,
    clock: systemClock,
    random: Math.random,
    createUuid: () => crypto.randomUUID(),
    userId: process.getuid?.(),
    nodeVersion: process.versions.node,
    version: packageJson.version,
    packageDirectory,
    terminal,
    redactor,
    ...signals,
  };
  process.exitCode = await run(process.argv.slice(2), runtime, petstore);
  closeTerminalOnExit();
  // Node.js shuts down slowly. Synchronous writes are already complete. After a signal, nothing may delay the end.
  if (!terminal.hasBufferedOutput || signals.signal.aborted) process.exit();
}

/** Hides the warning of Node.js 22 and early 24 that their SQLite is experimental. */
function hideExperimentalWarnings(): void {
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...details: [type?: unknown]) => {
    if (details[0] !== 'ExperimentalWarning') Reflect.apply(emitWarning, process, [warning, ...details]);
  };
}

/** Returns the home directory, else `/`. An empty HOME must not put API keys into the working directory. */
async function homeDirectory(): Promise<string> {
  const { HOME, USERPROFILE } = process.env;
  const named = process.platform === 'win32' ? USERPROFILE : HOME;
  if (named && isAbsolute(named)) return named;
  try {
    return (await import('node:os')).userInfo().homedir;
  } catch {
    return '/';
  }
}
