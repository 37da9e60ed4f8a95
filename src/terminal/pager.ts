import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { toSafeText } from '../format/safe-text.js';
import type { Output } from './output.js';

export interface ManualPage {
  /** File name below `man/`; missing for other texts. */
  readonly file?: string;
  readonly text: (width?: number) => string;
}

interface PagerOptions {
  /** `PAGER` is the user's pager command (default: less). */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** That of Node.js. */
  readonly platform: string;
  readonly stdout: Output;
  readonly stderr: Pick<Output, 'write'>;
  /** True on a terminal that can run a pager. */
  readonly canPage: boolean;
  /** Leaves Ctrl-C to the pager until the returned function is called. */
  readonly forwardSignals: (pager: { kill(signal: NodeJS.Signals): void }) => () => void;
  /** Directory of the manual pages. */
  readonly manDirectory: string;
}

/**
 * Shows a manual page in a pager, formatted by man(1) if installed. Prints its text without a terminal or without a
 * pager.
 */
export async function showManualPage(
  { file, text }: ManualPage,
  { manDirectory, canPage, ...options }: PagerOptions,
): Promise<void> {
  const { stdout, env } = options;
  const plainText = text(stdout.columns);
  if (!canPage) return stdout.write(plainText);
  const { columns = 80 } = stdout;
  const canFormat = file !== undefined && columns >= measureTitleLine(file);
  const page = canFormat ? await formatWithMan(join(manDirectory, file), columns, env) : undefined;
  await runPager(page ?? plainText, plainText, options);
}

/** Returns the width of the first line that man(1) prints: `PETSTORE(1) petstore manual PETSTORE(1)`. */
function measureTitleLine(file: string): number {
  return 2 * (file.length + 1) + ' petstore manual '.length;
}

/** Shows text in a pager. If the pager cannot be started, prints `plainText`, and a warning if the user chose the pager. */
async function runPager(
  text: string,
  plainText: string,
  { env, platform, stdout, stderr, forwardSignals }: Omit<PagerOptions, 'canPage' | 'manDirectory'>,
): Promise<void> {
  const command = (env.PAGER ?? '').trim();
  const child = spawn(command || 'less', {
    // The variable may contain arguments. It comes from the user, never from untrusted input.
    shell: command !== '',
    // As in git: less exits at once if the text fits on one screen.
    env: { LESS: 'FRX', ...env },
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const release = forwardSignals(child);
  // Quitting the pager early breaks the pipe.
  child.stdin.on('error', () => {}).end(text);
  const code = await waitForExit(child).finally(release);
  const unknownCommand = platform === 'win32' ? unknownCommandCodes.cmd : unknownCommandCodes.posix;
  if (code !== undefined && !unknownCommand.includes(code)) return;
  await stdout.write(plainText);
  // 1 may be the exit code of the pager.
  if (code === undefined || code === 1) return;
  await stderr.write(`! cannot find the pager ${toSafeText(command)}; check the variable PAGER\n`);
}

/** Exit codes of a shell for an unknown command. */
const unknownCommandCodes: Readonly<Record<'cmd' | 'posix', readonly number[]>> = { cmd: [1, 9009], posix: [127] };

/** Returns the page as formatted by man(1), or nothing if man(1) fails. */
async function formatWithMan(path: string, columns: number, env: PagerOptions['env']): Promise<string | undefined> {
  const child = spawn('man', [path], {
    env: {
      ...env,
      MANPAGER: 'cat',
      PAGER: 'cat',
      MANWIDTH: String(columns),
      MAN_KEEP_FORMATTING: '1',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let page = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    page += chunk;
  });
  const code = await waitForExit(child);
  // Minimized systems print a notice instead of the page. Bold letters are overstruck.
  const isPage = page.includes('NAME') || page.includes('N\bNA\bAM\bME\bE');
  return code === 0 && isPage ? page : undefined;
}

/** Returns the exit code, or nothing if the program cannot be started. */
async function waitForExit(child: ReturnType<typeof spawn>): Promise<number | undefined> {
  try {
    const [code] = await once(child, 'close');
    return code ?? 0;
  } catch {
    return undefined;
  }
}
