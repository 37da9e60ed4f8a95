import { spawnSync } from 'node:child_process';
import type { ProcessHandle } from './signals.js';

/** Whether the terminal shows typed keys. */
export interface Echo {
  /** Hides typed keys, which would damage progress. Ctrl-C and Ctrl-Z still work, and the shell reads the keys later. */
  disable(): void;
  /** Restores the terminal. */
  enable(): void;
}

/**
 * Returns the echo of the terminal on stderr. Raw mode would hide keys too, but it would also turn Ctrl-C into a key that
 * a busy process cannot handle.
 */
export function openEcho({ platform }: ProcessHandle, restoreOnExit: (restore: () => void) => () => void): Echo {
  let saved = '';
  let release = () => {};
  const enable = () => {
    if (saved !== '') runStty('stty "$1"', saved);
    saved = '';
    release();
  };
  return {
    disable: () => {
      if (saved !== '' || platform === 'win32') return;
      saved = runStty('stty -g && stty -echo');
      if (saved !== '') release = restoreOnExit(enable);
    },
    enable,
  };
}

/** Runs a script with the terminal of stderr as its input. Returns its output, which is empty if stty is missing. */
function runStty(script: string, argument = ''): string {
  // Ctrl-C must not end stty halfway. In the background, changing the terminal would stop the process group (SIGTTOU).
  const args = ['-c', `trap '' INT QUIT TSTP TTOU; ${script}`, 'sh', argument];
  return spawnSync('/bin/sh', args, { stdio: [2, 'pipe', 'ignore'], encoding: 'utf8' }).stdout?.trim() ?? '';
}
