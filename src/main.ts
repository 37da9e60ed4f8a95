import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { run } from './cli/run.js';
import { systemClock as clock } from './clock.js';
import { completeCommand } from './commands/complete/index.js';
import { nouns } from './commands/index.js';
import { createRedactor } from './config/secret.js';
import { catchSignals } from './terminal/signals.js';
import { openTerminal } from './terminal/terminal.js';

const { version } = packageJson;

/** Runs the command line of this process, and sets its exit code once everything is written. */
export async function main(): Promise<void> {
  const { env } = process;
  const redactor = createRedactor();
  const manual = () => join(import.meta.dirname, '../man');
  const terminal = openTerminal(process, { clock, redact: redactor.redact, manDirectory: manual });
  hushExperiments();
  const openValues = async () => {
    const { openCompletionValues } = await import('./app/completion-values.js');
    const { platform, versions } = process;
    return openCompletionValues({
      env,
      home: await homeDirectory(),
      platform,
      nodeVersion: versions.node,
    });
  };
  process.exitCode = await run(process.argv.slice(2), {
    version,
    nouns: [...nouns, completeCommand(openValues)],
    terminal,
    clock,
    preferredOutput: env.PETSTORE_OUTPUT,
    openJq: async (program) => {
      const { openJqRunner: openJq } = await import('./format/jq-runner.js');
      const thread = join(import.meta.dirname, '../bin/jq.js');
      return openJq(program, { thread, clock });
    },
    open: async (flags, options) => {
      const { openSession } = await import('./app/open-context.js');
      return openSession(flags, {
        env,
        home: await homeDirectory(),
        platform: process.platform,
        clock,
        random: Math.random,
        lockOwner: { pid: process.pid, host: await hostName(), isProcessAlive: lives },
        userId: process.getuid?.(),
        nodeVersion: process.versions.node,
        version,
        terminal,
        redactor,
        ...catchSignals(process),
        ...options,
      });
    },
  });
  // Node.js takes its time to end by itself; what is written past its streams has been written.
  if (!terminal.hasBufferedOutput) process.exit();
}

/** Node.js 22 and the first 24 say on stderr that their SQLite is experimental; all else is still said. */
function hushExperiments(): void {
  const listeners = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning') return;
    for (const listener of listeners) listener(warning);
  });
}

/** The home directory, or nothing where the system knows none. An empty HOME must not put keys where one works. */
async function homeDirectory(): Promise<string | undefined> {
  const { HOME, USERPROFILE } = process.env;
  const named = process.platform === 'win32' ? USERPROFILE : HOME;
  if (named && isAbsolute(named)) return named;
  try {
    return (await import('node:os')).userInfo().homedir;
  } catch {
    return undefined;
  }
}

/** This machine's name. Linux has it in a file, which is read sooner than `node:os` is loaded. */
async function hostName(): Promise<string> {
  try {
    return readFileSync('/proc/sys/kernel/hostname', 'utf8').trim();
  } catch {
    return (await import('node:os')).hostname();
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
