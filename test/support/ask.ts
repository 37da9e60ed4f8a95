import { openAsk } from '../../src/terminal/open-prompter.js';
import type { Ask } from '../../src/terminal/prompter.js';

type Options = Parameters<typeof openAsk>[0];

/** Questions to somebody who can answer, in a process that no signal reaches, save what is told. */
export function askWith(options: Partial<Options>): Ask {
  return openAsk({
    possible: true,
    yes: false,
    color: false,
    accessible: false,
    stdin: process.stdin,
    stderr: process.stderr,
    signal: new AbortController().signal,
    hold: () => () => {},
    onResume: () => () => {},
    ...options,
  });
}
