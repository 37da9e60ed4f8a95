import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Output } from './output.js';

export interface ManualPage {
  /** File name below `man/`. */
  readonly file: string;
  readonly text: (width?: number) => string;
  /** The user's pager command; empty for the default. */
  readonly pager: string;
}

interface PagerOptions {
  /** The directory of the manual pages. */
  readonly manDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  /** A terminal on which somebody can turn pages. */
  readonly canPage: boolean;
  /** Leaves Ctrl-C to the pager, and ends it with this process, until what it returns is called. */
  readonly forwardSignals: (pager: { kill(signal: NodeJS.Signals): void }) => () => void;
}

/**
 * Shows a page of the manual: on a terminal as man(1) lays it out, or as text where there is none, by one pager
 * either way. Where there is no pager, or nobody to use it, the text is written.
 */
export async function showManualPage(
  { file, text, pager }: ManualPage,
  { manDirectory: manual, env, stdout, canPage: paged, forwardSignals: holdFor }: PagerOptions,
): Promise<void> {
  if (!paged) return stdout.write(text(stdout.columns));
  const page =
    (await formatWithMan(join(manual, file), stdout.columns, env)) ?? text(stdout.columns);
  const command = pager.trim();
  const child = spawn(command || 'less', {
    // A pager may have arguments; it is the user's own, and no text from outside is part of it.
    shell: command !== '',
    // `less` shows what fits on one screen without asking for a key, as git has it.
    env: { LESS: 'FRX', ...env },
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const release = holdFor(child);
  // A pager that is left early has not read everything.
  child.stdin.on('error', () => {}).end(page);
  const code = await waitForExit(child).finally(release);
  if (code === undefined || code === commandNotFoundCode) await stdout.write(text(stdout.columns));
}

/** What a shell ends with where there is no such program. */
const commandNotFoundCode = 127;

/** The page as man(1) lays it out, or nothing where that does not work, as on systems without manual pages. */
async function formatWithMan(
  path: string,
  columns: number | undefined,
  env: PagerOptions['env'],
): Promise<string | undefined> {
  const child = spawn('man', [path], {
    env: {
      ...env,
      MANPAGER: 'cat',
      PAGER: 'cat',
      MANWIDTH: String(columns ?? 80),
      MAN_KEEP_FORMATTING: '1',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let page = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    page += chunk;
  });
  const code = await waitForExit(child);
  // Some say in its place that manual pages were left out; bold letters are struck twice.
  const isPage = page.includes('NAME') || page.includes('N\bNA\bAM\bME\bE');
  return code === 0 && isPage ? page : undefined;
}

/** The exit code, or nothing where the program could not be run. */
async function waitForExit(child: ReturnType<typeof spawn>): Promise<number | undefined> {
  try {
    const [code] = await once(child, 'close');
    return code ?? 0;
  } catch {
    return undefined;
  }
}
