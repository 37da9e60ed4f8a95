import { noInputVariable } from '../config/environment.js';
import { type GlobalFlags, getSetting, type Settings } from '../config/settings.js';
import type { Hint } from '../failure.js';
import { formatDuration } from '../format/duration.js';
import { toSafeText } from '../format/safe-text.js';
import { wrapMessage } from '../format/wrap.js';
import { readInput } from '../terminal/input.js';
import { hiddenSpinner, type Spinner } from '../terminal/progress.js';
import type { Prompter } from '../terminal/prompter.js';
import type { DisableReason } from '../terminal/prompts.js';
import type { Runtime } from './runtime.js';

/** The terminal of a command, for everything except its result. */
export type CommandTerminal = Awaited<ReturnType<typeof openCommandTerminal>>;

/** Ends what the terminal shows. */
type Stop = () => void | Promise<void>;

const none: Stop = () => {};

/** Opens the terminal of one command. */
export async function openCommandTerminal(
  { terminal, clock, signal, redactor }: Runtime,
  settings: Settings,
  flags: GlobalFlags,
) {
  const { accessible, color, quiet, verbose, yes } = settings;
  const style = await terminal.createStyle('stderr', color);
  const disableReason = findDisableReason(settings, flags);
  const { canRedraw, startSpinner } = terminal;
  let isProgressActive = false;
  /** The waits that a progress shows. */
  const waits = new Set<{ readonly text: () => string; readonly until?: number }>();
  let waitLines = 0;
  let prompts: Prompter | undefined;
  /** Prints a line that starts with a mark, which is colored. */
  const print = (text: Hint, mark = '', paint = (plain: string) => plain) => {
    const parts = [mark === '' ? '' : `${mark} `, ...(typeof text === 'string' ? [text] : text)];
    const lines = wrapMessage(parts, terminal.stderr.columns, '', mark === '' ? '' : '  ');
    void terminal.stderr.write(
      `${isProgressActive && canRedraw ? eraseLine : ''}${paint(mark)}${lines.slice(mark.length)}`,
    );
  };
  const printUnlessQuiet: typeof print = (...line) => {
    if (!quiet) print(...line);
  };
  /** Prints one line on stderr, unless `--quiet`; escapes control characters. */
  const notice = (text: Hint) => printUnlessQuiet(text);
  /** Shows a text in the line of the progress, or in its own. Without an end, `until` is missing. */
  const redraw = (text: () => string, until?: number): Stop => {
    if (!isProgressActive) return startSpinner(() => toSafeText(text())).stop;
    const wait = { text, ...(until !== undefined && { until }) };
    waits.add(wait);
    return () => void waits.delete(wait);
  };
  const openStdin = () => {
    if (terminal.stdin.isTerminal) notice('Reading standard input. Press Ctrl-D to end it.');
    return terminal.stdin;
  };
  return {
    get prompts(): Prompter {
      prompts ??= terminal.openPrompter({ disableReason, accessible, assumeYes: yes, color });
      return prompts;
    },
    openScreen: () => {
      const clause = () => `screen-reader mode is on (${getSetting(settings, 'accessible').source})`;
      return terminal.openFullScreen({
        disableReason: disableReason ?? (accessible ? { clause: clause() } : undefined),
        color,
      });
    },
    /**
     * Shows a line that is redrawn every second, unless `--quiet` or `--verbose`; waits for the quota appear in it. `text`
     * gets the end of such a wait. Only one progress may be shown at a time.
     */
    startProgress: (text: (waitEnd?: number) => string | Promise<string>): Spinner => {
      if (quiet || verbose) return hiddenSpinner;
      isProgressActive = true;
      const spinner = startSpinner(async () => {
        // Requests in flight together wait for the same time.
        const [wait] = waits;
        const shown = await text(wait?.until);
        return toSafeText(wait ? `${shown}. ${wait.text()}` : shown);
      });
      return {
        ...spinner,
        stop: () => {
          isProgressActive = false;
          return spinner.stop();
        },
      };
    },
    /** True if progress is shown in a line that is redrawn. */
    get hasProgress(): boolean {
      return isProgressActive && canRedraw;
    },
    /** Shows a wait that ends at `until` (milliseconds since the Unix epoch), and its reason: `for the quota`. */
    countDown: (until: number, reason: string): Stop => {
      const text = () => `Waiting ${formatDuration(until - clock.now())} ${reason}`;
      if (quiet) return none;
      if (canRedraw && !verbose) return redraw(text, until);
      // Requests in flight together need one line.
      if (waitLines === 0) notice(`${text()}.`);
      waitLines += 1;
      return () => {
        waitLines -= 1;
      };
    },
    /** Shows work whose end is unknown, unless a progress is shown. */
    startWork: (text: string): Stop => (quiet || verbose || isProgressActive ? none : redraw(() => text)),
    notice,
    /** Prints a success message on stderr after a check mark, unless `--quiet`. */
    success: (text: Hint) => printUnlessQuiet(text, '✓', style.success),
    /** Prints a warning on stderr after an exclamation mark, unless `--quiet`. */
    warn: (text: Hint) => printUnlessQuiet(text, '!', style.warning),
    /** Prints a failure that does not end the command on stderr after a cross, even with `--quiet`. */
    fail: (text: Hint) => print(text, '✗', style.error),
    /** Prints one line of an error on stderr, even with `--quiet`. */
    errorLine: (text: Hint) => print(text),
    /** Removes API keys from text that a service sent. */
    redact: redactor.redact,
    /** Reads a file, or standard input for `-`; throws a usage error past `maxBytes`, with the hint if there is one. */
    readInput: (path: string, maxBytes: number, tooLargeHint?: string): Promise<Uint8Array> =>
      readInput(path, maxBytes, openStdin, signal, tooLargeHint),
  };
}

/** Moves the cursor to the start of the line and erases it (ECMA-48 §8.3.41), for a notice in place of the progress. */
const eraseLine = '\r\u001b[K';

/** Returns why the settings disable prompts: a machine format or `--no-input`. */
function findDisableReason(settings: Settings, flags: GlobalFlags): DisableReason | undefined {
  if (!settings.input) return { clause: `${flags.input === false ? '--no-input' : noInputVariable} is set` };
  const { value, source } = getSetting(settings, 'output');
  return value === 'table' ? undefined : { clause: `the output format is ${value} (${source})` };
}
