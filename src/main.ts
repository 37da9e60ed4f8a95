import { homedir, hostname } from 'node:os';
import packageJson from '../package.json' with { type: 'json' };
import { run } from './cli/run.js';
import { auth } from './commands/auth/index.js';
import { pets } from './commands/pets/index.js';
import { profile } from './commands/profile/index.js';
import { serve } from './commands/serve/index.js';
import { systemClock } from './local/clock.js';
import { Failure } from './ports/failure.js';
import type { Terminal } from './ports/terminal.js';
import { createRedactor } from './terminal/redact.js';
import { openDescriptor, openInput } from './terminal/streams.js';

/** Runs the command line of this process, and sets its exit code once everything is written. */
export async function main(): Promise<void> {
  const { env, versions, platform, pid } = process;
  const redactor = createRedactor();
  const columns = Number(env.COLUMNS) || undefined;
  const terminal: Terminal = {
    stdout: openDescriptor(1, () => process.stdout, { columns }),
    stderr: openDescriptor(2, () => process.stderr, {
      columns,
      essential: false,
      filter: redactor.redact,
    }),
    get stdin() {
      return openInput(process.stdin);
    },
    style: async (stream, mode) => {
      const { createStyle } = await import('./terminal/style.js');
      return createStyle({ mode, isTerminal: terminal[stream].isTerminal, env });
    },
  };
  const signal = signalsOf(process);
  process.exitCode = await run(process.argv.slice(2), {
    version: packageJson.version,
    nouns: [pets, auth, profile, serve],
    terminal,
    clock: systemClock,
    preferredOutput: env.PETSTORE_OUTPUT,
    open: async (flags) =>
      (await import('./session.js')).openSession(flags, {
        env,
        home: homedir(),
        platform,
        clock: systemClock,
        holder: { pid, host: hostname(), lives },
        nodeVersion: versions.node,
        version: packageJson.version,
        terminal,
        redactor,
        signal,
      }),
  });
}

/** A signal ends the command in order; a second one at once. */
function signalsOf({ on, exit }: Pick<NodeJS.Process, 'on' | 'exit'>): AbortSignal {
  const controller = new AbortController();
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    on.call(process, signal, () => {
      if (controller.signal.aborted) exit(code);
      controller.abort(
        new Failure('cancelled', { code: 'cancelled', message: `ended by ${signal}`, signal }),
      );
    });
  }
  return controller.signal;
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
