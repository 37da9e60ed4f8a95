import type { JobControl } from '../../src/terminal/job-control.js';
import { createStyle, type Style } from '../../src/terminal/output.js';
import { openPrompter, type Prompter } from '../../src/terminal/prompter.js';

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

/** The job control of a process that is never stopped. */
export const foregroundJob: JobControl = {
  suspend: async () => {},
  stopInBackground: () => {},
};

const same = (text: string) => text;

/** A style that changes no text, as if colors were off. */
export const plainStyle: Style = {
  heading: same,
  dim: same,
  selected: same,
  match: same,
  status: same,
  success: same,
  warning: same,
  error: same,
};
