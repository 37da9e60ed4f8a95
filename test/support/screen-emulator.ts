import headless from '@xterm/headless';
import { expect, vi } from 'vitest';
import { openProgram, type TerminalRun } from './terminal.js';

export interface ScreenRun extends Pick<TerminalRun, 'type' | 'kill' | 'exitCode' | 'output'> {
  /** The current lines of the screen without trailing spaces. */
  lines(): Promise<readonly string[]>;
  /** Resolves once the screen shows the text. */
  see(text: string | RegExp): Promise<void>;
  resize(columns: number, rows: number): void;
  /** True while the alternate screen is shown. */
  isAlternate(): boolean;
}

/** Runs a program in a pseudo-terminal and feeds its output to a terminal emulator. */
export function openScreenEmulator(
  home: string,
  command: readonly string[],
  { columns = 80, rows = 24, env = {} as Readonly<Record<string, string>> } = {},
): ScreenRun {
  const run = openProgram(home, command, { columns, rows, env });
  const terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true });
  let written = 0;
  const lines = async () => {
    const added = run.output().slice(written);
    written += added.length;
    await new Promise<void>((resolve) => terminal.write(added, resolve));
    const { active } = terminal.buffer;
    return Array.from(
      { length: terminal.rows },
      (_, y) => active.getLine(active.baseY + y)?.translateToString(true) ?? '',
    );
  };
  return {
    ...run,
    lines,
    isAlternate: () => terminal.buffer.active.type === 'alternate',
    resize: (width, height) => {
      terminal.resize(width, height);
      run.resize(width, height);
    },
    see: (text) =>
      vi.waitFor(async () => expect((await lines()).join('\n')).toMatch(text), {
        timeout: 50_000,
        interval: 20,
      }),
  };
}
