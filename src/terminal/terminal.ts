import type { Clock } from '../clock.js';
import type { ColorMode } from '../config/settings.js';
import type { FullScreen } from './full-screen.js';
import { type Input, openInput } from './input.js';
import { createStyle, type Output, openFileDescriptor, type Style } from './output.js';
import { hiddenSpinner, type ProgressText, type Spinner, startPeriodicLines, startSpinner } from './progress.js';
import { openPrompter, type Prompter } from './prompter.js';
import type { DisableReason } from './prompts.js';

interface InteractionOptions {
  /** The setting that disables prompts. */
  readonly disableReason: DisableReason | undefined;
  readonly color: ColorMode;
}

export interface Terminal {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Input;
  /** The clock of what the terminal shows. */
  readonly clock: Clock;
  /**
   * Opens stderr for a log whose reader may stall; `formatDropped` returns the line that replaces lost lines. The lines must
   * not contain secrets.
   */
  openLog(formatDropped: (count: number) => string): Promise<(line: string) => void>;
  /** True if a line on stderr can be redrawn. */
  readonly canRedraw: boolean;
  /** Shows a wait that takes long, if the terminal can redraw. */
  startSpinner(text: ProgressText): Spinner;
  openPrompter(options: InteractionOptions & { readonly assumeYes: boolean; readonly accessible: boolean }): Prompter;
  openFullScreen(options: InteractionOptions): Promise<FullScreen>;
  /** Shows text in a pager on a terminal, and prints it otherwise. */
  showPage(text: string): Promise<void>;
  createStyle(stream: 'stdout' | 'stderr', color: ColorMode): Promise<Style>;
}

export interface TerminalOptions {
  readonly clock: Clock;
  /** Removes secrets from notices. */
  readonly redact: (text: string) => string;
  /** True if prompts and redrawing are allowed in CI and for an AI agent, too. */
  readonly canPromptInCi: boolean;
  readonly signal: AbortSignal;
  /** Leaves Ctrl-C to a pager until the returned function is called. */
  readonly leaveInterrupts: () => () => void;
}

export interface ProcessTerminal extends Terminal {
  /** True once a Node.js stream may hold text that is not written yet. */
  readonly hasBufferedOutput: boolean;
}

/** Returns the terminal of a host. Streams and packages are loaded on first use. */
export async function openTerminal(
  host: NodeJS.Process,
  { clock, redact, canPromptInCi, signal, leaveInterrupts }: TerminalOptions,
): Promise<ProcessTerminal> {
  const { env } = host;
  const columns = Number(env.COLUMNS) || undefined;
  let hasBufferedOutput = false;
  const openStream = (name: 'stdout' | 'stderr') => () => {
    hasBufferedOutput = true;
    return host[name];
  };
  const stdout = openFileDescriptor(1, openStream('stdout'), { columns });
  const stderr = openFileDescriptor(2, openStream('stderr'), {
    columns,
    isEssential: false,
    filter: redact,
  });
  const hasTerminal = stdout.isTerminal || stderr.isTerminal;
  const environmentReason = hasTerminal ? await findDisableReason(env, canPromptInCi) : undefined;
  const canRedraw = stderr.isTerminal && !environmentReason;
  const openJobControl = async () => (await import('./job-control.js')).openJobControl(host, clock);
  const promptIo = (setting: DisableReason | undefined) => {
    const canPrompt = host.stdin.isTTY === true && stderr.isTerminal;
    const disableReason = canPrompt ? (setting ?? environmentReason) : undefined;
    return {
      isInteractive: canPrompt && disableReason === undefined,
      disableReason,
      stdin: host.stdin,
      stderr: host.stderr,
      signal,
      openJobControl,
    };
  };
  const terminal: ProcessTerminal = {
    clock,
    stdout,
    stderr,
    get hasBufferedOutput() {
      return hasBufferedOutput;
    },
    stdin: openInput(() => host.stdin),
    openLog: async (formatDropped) => {
      const { openLogOutput } = await import('./log-output.js');
      const { write, flush } = openLogOutput(openStream('stderr')(), formatDropped);
      host.once('exit', flush);
      return write;
    },
    canRedraw,
    startSpinner: (text) => (canRedraw ? startSpinner({ stream: host.stderr, text, clock }) : hiddenSpinner),
    openPrompter: ({ disableReason, color, ...options }) =>
      openPrompter({
        ...options,
        ...promptIo(disableReason),
        style: () => terminal.createStyle('stderr', color),
      }),
    openFullScreen: async ({ disableReason, color, ...options }) => {
      const { openFullScreen } = await import('./full-screen.js');
      return openFullScreen({
        ...options,
        // A user who redirects the result wants the result, not a screen.
        ...promptIo(disableReason ?? (stdout.isTerminal ? undefined : { clause: 'standard output is not a terminal' })),
        clock,
        style: () => terminal.createStyle('stderr', color),
        host,
      });
    },
    showPage: async (text) => {
      if (!stdout.isTerminal || environmentReason) return stdout.write(text);
      const { showInPager } = await import('./pager.js');
      return showInPager(text, { env, stdout, stderr, signal, leaveInterrupts });
    },
    createStyle: (stream, mode) => createStyle({ mode, isTerminal: terminal[stream].isTerminal, env }),
  };
  return terminal;
}

/** Returns why prompts and redraws are disabled on a terminal. */
async function findDisableReason(
  { TERM, CI }: NodeJS.ProcessEnv,
  canPromptInCi: boolean,
): Promise<DisableReason | undefined> {
  if (TERM === 'dumb') return { clause: 'TERM is dumb' };
  if (canPromptInCi) return undefined;
  if (CI) return { clause: 'CI is set', canOverride: true };
  // Loaded only on a terminal: it opens the stream of stdout.
  const { isAgent } = await import('std-env');
  return isAgent ? { clause: 'an AI agent runs the command', canOverride: true } : undefined;
}

/** Returns the terminal in screen-reader mode: progress is printed as lines, without redraws and pager. */
export function createScreenReaderTerminal(terminal: Terminal, clock: Clock): Terminal {
  return {
    ...terminal,
    clock,
    canRedraw: false,
    startSpinner: (text) =>
      terminal.canRedraw ? startPeriodicLines((line) => terminal.stderr.write(line), text, clock) : hiddenSpinner,
    showPage: (text) => terminal.stdout.write(text),
  };
}
