import { noInputVariable } from '../config/environment.js';
import { type GlobalFlags, getSetting, type Settings } from '../config/settings.js';
import type { Hint } from '../failure.js';
import { toSafeText } from '../format/safe-text.js';
import { wrapMessage } from '../format/wrap.js';
import { readInput } from '../terminal/input.js';
import { hiddenProgressBar, hiddenSpinner } from '../terminal/progress.js';
import type { Prompter } from '../terminal/prompter.js';
import type { DisableReason } from '../terminal/prompts.js';
import type { CommandTerminal } from './context.js';
import type { Runtime } from './runtime.js';

/** Opens the terminal of one command. */
export async function openCommandTerminal(
  { terminal, signal, redactor }: Runtime,
  settings: Settings,
  flags: GlobalFlags,
): Promise<CommandTerminal> {
  const style = await terminal.createStyle('stderr', settings.color);
  let hasProgress = false;
  let describeWait: (() => string) | undefined;
  /** Prints a line that starts with a mark, which is colored. */
  const print = (text: Hint, mark = '', paint = (plain: string) => plain) => {
    const parts = [mark === '' ? '' : `${mark} `, ...(typeof text === 'string' ? [text] : text)];
    const lines = wrapMessage(parts, terminal.stderr.columns, '', mark === '' ? '' : '  ');
    void terminal.stderr.write(`${hasProgress ? eraseLine : ''}${paint(mark)}${lines.slice(mark.length)}`);
  };
  const printUnlessQuiet: typeof print = (...line) => {
    if (!settings.quiet) print(...line);
  };
  const notice = (text: Hint) => printUnlessQuiet(text);
  const openStdin = () => {
    if (terminal.stdin.isTerminal) notice('Reading standard input. Press Ctrl-D to end it.');
    return terminal.stdin;
  };
  let prompts: Prompter | undefined;
  return {
    get prompts() {
      prompts ??= terminal.openPrompter({
        disableReason: findDisableReason(settings, flags),
        accessible: settings.accessible,
        assumeYes: settings.yes,
        color: settings.color,
      });
      return prompts;
    },
    openScreen: () =>
      terminal.openFullScreen({
        disableReason:
          findDisableReason(settings, flags) ??
          (settings.accessible
            ? { clause: `screen-reader mode is on (${getSetting(settings, 'accessible').source})` }
            : undefined),
        color: settings.color,
      }),
    progressBar: async (total) => (settings.quiet ? hiddenProgressBar : terminal.startProgressBar(total)),
    startProgress: (text) => {
      if (settings.quiet || settings.verbose) return hiddenSpinner;
      hasProgress = terminal.canRedraw;
      const spinner = terminal.startSpinner(() => toSafeText(describeWait ? `${text()}. ${describeWait()}` : text()));
      return {
        ...spinner,
        stop: () => {
          hasProgress = false;
          return spinner.stop();
        },
      };
    },
    showWait: (text) => {
      if (!hasProgress) return undefined;
      describeWait = text;
      return async () => {
        describeWait = undefined;
      };
    },
    get hasProgress() {
      return hasProgress;
    },
    notice,
    success: (text) => printUnlessQuiet(text, '✓', style.success),
    warn: (text) => printUnlessQuiet(text, '!', style.warning),
    fail: (text) => print(text, '✗', style.error),
    errorLine: (text) => print(text),
    redact: redactor.redact,
    readInput: (path, maxBytes, tooLargeHint) => readInput(path, maxBytes, openStdin, signal, tooLargeHint),
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
