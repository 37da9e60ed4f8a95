import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ManualPage, Output } from '../ports/terminal.js';

interface PagerOptions {
  /** The directory of the manual pages. */
  readonly manual: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  /** Leaves Ctrl-C to what is shown, until what it returns is called. */
  readonly ignoreInterrupt: () => () => void;
}

/**
 * Shows a page of the manual: on a terminal by man(1), where there is none by the pager as text, and where
 * there is no pager either, or no terminal, the text is written.
 */
export async function showPage(
  { file, text, pager }: ManualPage,
  { manual, env, stdout, ignoreInterrupt }: PagerOptions,
): Promise<void> {
  if (!stdout.isTerminal) return stdout.write(text());
  const chosen = { ...env, ...(pager !== '' && { PAGER: pager }) };
  const release = ignoreInterrupt();
  try {
    if (await shows('man', [join(manual, file)], { env: chosen })) return;
    const page = text(stdout.columns);
    // `less` shows what fits on one screen without asking for a key, as git has it.
    const usual = { LESS: 'FRX', ...chosen };
    // A pager may have arguments; it is the user's own, and no text from outside is part of it.
    if (await shows(pager || 'less', [], { env: usual, shell: pager !== '' }, page)) return;
    await stdout.write(page);
  } finally {
    release();
  }
}

/** Resolves to whether the program could be run and ended well. */
async function shows(
  program: string,
  args: readonly string[],
  options: SpawnOptions,
  input?: string,
): Promise<boolean> {
  const child = spawn(program, args, {
    ...options,
    stdio: [input === undefined ? 'inherit' : 'pipe', 'inherit', 'inherit'],
  });
  // A pager that is left early has not read everything.
  child.stdin?.on('error', () => {}).end(input);
  try {
    const [code] = await once(child, 'close');
    return code === 0;
  } catch {
    return false;
  }
}
