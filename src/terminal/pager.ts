import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { toSafeText } from '../format/safe-text.js';
import type { Output } from './output.js';

export interface PagerOptions {
  /** `PAGER` is the user's pager command (default: less). */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Pick<Output, 'write'>;
  readonly stderr: Pick<Output, 'write'>;
  /** Ends the pager. */
  readonly signal: AbortSignal;
  /** Leaves Ctrl-C to the pager until the returned function is called. */
  readonly leaveInterrupts: () => () => void;
}

/** Exit codes of a shell that does not know the command: POSIX, and cmd on Windows. */
const unknownCommandCodes: readonly unknown[] = [127, 9009];

/** Shows text in a pager. Prints it if the pager cannot be started, with a warning if the user chose the pager. */
export async function showInPager(text: string, options: PagerOptions): Promise<void> {
  const { env, stdout, stderr, signal, leaveInterrupts } = options;
  const command = (env.PAGER ?? '').trim();
  const restoreInterrupts = leaveInterrupts();
  const code = await runPager(command, text, options).finally(restoreInterrupts);
  signal.throwIfAborted();
  if (code !== undefined && !unknownCommandCodes.includes(code)) return;
  await stdout.write(text);
  if (command === '') return;
  await stderr.write(`! cannot find the pager ${toSafeText(command)}; check the variable PAGER\n`);
}

/** Returns the exit code, or nothing if the pager cannot be started. */
async function runPager(command: string, text: string, { env, signal }: PagerOptions): Promise<unknown> {
  const child = spawn(command || 'less', {
    // The variable may contain arguments. It comes from the user, never from untrusted input.
    shell: command !== '',
    // As in git: less exits at once if the text fits on one screen.
    env: { LESS: 'FRX', ...env },
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  signal.addEventListener('abort', () => child.kill(), { once: true });
  // Quitting the pager early breaks the pipe.
  child.stdin.on('error', () => {}).end(text);
  try {
    const [code] = await once(child, 'close');
    return code ?? 0;
  } catch {
    return undefined;
  }
}
