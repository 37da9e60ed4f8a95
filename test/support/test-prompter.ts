import { createStyle } from '../../src/terminal/output.js';
import { openPrompter, type Prompter } from '../../src/terminal/prompter.js';
import { foregroundJob } from './job-control.js';

type Options = Parameters<typeof openPrompter>[0];

/** Returns a prompter on an interactive terminal that receives no signals. */
export function createTestPrompter(options: Partial<Options>): Prompter {
  return openPrompter({
    isInteractive: true,
    disableReason: undefined,
    assumeYes: false,
    style: () => createStyle({ mode: 'never', isTerminal: true, env: {} }),
    accessible: false,
    stdin: process.stdin,
    stderr: process.stderr,
    signal: new AbortController().signal,
    openJobControl: async () => foregroundJob,
    ...options,
  });
}
