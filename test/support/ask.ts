import type { Prompter } from '../../src/terminal/prompter.js';
import { openPrompter } from '../../src/terminal/prompter.js';

type Options = Parameters<typeof openPrompter>[0];

/** Questions to somebody who can answer, in a process that no signal reaches, save what is told. */
export function askWith(options: Partial<Options>): Prompter {
  return openPrompter({
    isInteractive: true,
    assumeYes: false,
    hasColor: false,
    accessible: false,
    stdin: process.stdin,
    stderr: process.stderr,
    signal: new AbortController().signal,
    deferSignals: () => () => {},
    onResume: () => () => {},
    ...options,
  });
}
