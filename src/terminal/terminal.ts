import type { Clock } from '../clock.js';
import { openAsk } from './open-prompter.js';
import { noBar, startBar, startWait } from './progress.js';
import { atCrash, leaveTerminalTo, onResume } from './signals.js';
import { openDescriptor, openInput } from './streams.js';
import { createStyle, wantsColor } from './style.js';
import type { Terminal } from './terminal-types.js';

export interface TerminalOptions {
  readonly clock: Clock;
  /** Takes out of notices what must not be seen. */
  readonly redact: (text: string) => string;
  /** The directory of the manual pages. */
  readonly manual: () => string;
}

export interface OpenedTerminal extends Terminal {
  /** True once a stream of Node.js holds text that may not be written yet. */
  readonly isBuffered: boolean;
}

/** Standard input, output and error of a process, and what can be done on a terminal; each opened when it is needed. */
export function openTerminal(
  running: NodeJS.Process,
  { clock, redact, manual }: TerminalOptions,
): OpenedTerminal {
  const { env } = running;
  const columns = Number(env.COLUMNS) || undefined;
  let isBuffered = false;
  const buffered = (name: 'stdout' | 'stderr') => () => {
    isBuffered = true;
    return running[name];
  };
  const stdout = openDescriptor(1, buffered('stdout'), { columns });
  const stderr = openDescriptor(2, buffered('stderr'), {
    columns,
    essential: false,
    filter: redact,
  });
  const canRedraw = env.TERM !== 'dumb' && !env.CI;
  const redraws = stderr.isTerminal && canRedraw;
  // Who is asked, where somebody is there to answer.
  const person = (allowed: boolean) => ({
    possible: allowed && running.stdin.isTTY === true && stderr.isTerminal,
    stdin: running.stdin,
    stderr: running.stderr,
    onResume: (act: () => void) => onResume(running, act),
  });
  const terminal: OpenedTerminal = {
    stdout,
    stderr,
    get isBuffered() {
      return isBuffered;
    },
    get stdin() {
      return openInput(running.stdin);
    },
    redraws,
    wait: (text) => (redraws ? startWait(running.stderr, text, clock) : { stop: async () => {} }),
    bar: async (total) => (redraws ? startBar(running.stderr, total) : noBar),
    ask: ({ allowed, color, ...options }) =>
      openAsk({
        ...options,
        ...person(allowed),
        color: wantsColor({ mode: color, isTerminal: stderr.isTerminal, env }),
      }),
    screen: async ({ allowed, color, ...options }) => {
      const { openScreen } = await import('./screen.js');
      return openScreen({
        ...options,
        ...person(allowed),
        clock,
        env,
        style: () => terminal.style('stderr', color),
        atCrash: (text) => atCrash(running, text),
      });
    },
    page: async (page) => {
      const { showPage } = await import('./pager.js');
      return showPage(page, {
        ...{ manual: manual(), env, stdout, paged: stdout.isTerminal && canRedraw },
        holdFor: (pager) => leaveTerminalTo(running, pager),
      });
    },
    style: (stream, mode) => createStyle({ mode, isTerminal: terminal[stream].isTerminal, env }),
  };
  return terminal;
}
