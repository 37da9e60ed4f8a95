import { Writable } from 'node:stream';
import type { Clock } from '../clock.js';
import type { Style } from './output.js';
import { type DisableReason, type PromptIo, runPrompt } from './run-prompt.js';
import { createViewPrompt, type FullScreenView } from './view-prompt.js';

/** Returns the lines above prompts, each narrower than the terminal. */
type DescribePrompts = (style: Style, columns: number) => string;

/** The alternate screen of the terminal. */
export interface FullScreen {
  /** True if the terminal is interactive and prompts are enabled. */
  readonly isInteractive: boolean;
  /** What disables the screen on a terminal. */
  readonly disableReason: DisableReason | undefined;
  /** Switches to the alternate screen until the task settles. `run` and `showPrompts` need it. */
  open<Result>(task: () => Promise<Result>): Promise<Result>;
  /**
   * Shows a view until a key closes it. Redraws after each key, each second, on a resize and on `redraw`. Throws a
   * failure (canceled) on Ctrl-C or a signal, and whatever `draw` or `onKey` throw.
   */
  run(view: FullScreenView): Promise<void>;
  redraw(): void;
  /** Clears the screen, then runs prompts below a heading. */
  showPrompts<Answer>(describe: DescribePrompts, ask: () => Promise<Answer>): Promise<Answer>;
  /** Copies text to the clipboard. Returns false if the terminal is known not to support that. */
  copyToClipboard(text: string): boolean;
}

export interface FullScreenOptions extends PromptIo {
  readonly isInteractive: boolean;
  readonly disableReason: DisableReason | undefined;
  readonly clock: Clock;
  readonly style: () => Promise<Style>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes text if the process crashes. Returns a function that unsubscribes. */
  readonly writeOnCrash: (text: string) => () => void;
}

const control = '\u001b[';
/** Switches to the alternate screen and hides the cursor. */
const enterScreen = `${control}?1049h${control}?25l`;
const leaveScreen = `${control}?1049l${control}?25h`;
const showCursor = `${control}?25h`;
const clearScreen = `${control}2J${control}H`;

/** Returns a full screen. Its views are prompts of @inquirer/core. */
export function openFullScreen(options: FullScreenOptions): FullScreen {
  const { isInteractive, disableReason, stdin, stderr, clock, env } = options;
  let release: (() => void) | undefined;
  let redraw = () => {};
  /** Draws everything again after `fg`. */
  let redrawAll = () => {};
  return {
    isInteractive,
    disableReason,
    open: async (task) => {
      const jobControl = await options.openJobControl();
      jobControl.stopInBackground();
      const enter = () => {
        release ??= options.writeOnCrash(leaveScreen);
        stderr.write(enterScreen + clearScreen);
      };
      const leave = () => {
        // Leaving the alternate screen twice would restore an old cursor position.
        if (release) stderr.write(leaveScreen);
        release?.();
        release = undefined;
      };
      const resume = () => {
        enter();
        redrawAll();
      };
      const removeView = jobControl.add({ suspend: leave, resume });
      enter();
      try {
        return await task();
      } finally {
        removeView();
        leave();
      }
    },
    run: async (view) => {
      const style = await options.style();
      try {
        await runPrompt(options, (signal, abort) => {
          const prompt = createViewPrompt(view, {
            ...{ style, stderr, clock, abort },
            isShown: () => release !== undefined,
            onOpen: (one, all) => {
              redraw = one;
              redrawAll = all;
            },
          });
          // The view draws itself.
          const output = new Writable({ write: (_, __, done) => done() });
          return prompt({}, { input: stdin, output, signal });
        });
      } finally {
        redraw = () => {};
        redrawAll = () => {};
      }
    },
    redraw: () => redraw(),
    showPrompts: async (describe, ask) => {
      const style = await options.style();
      redrawAll = () => {
        const heading = describe(style, stderr.columns || 80);
        stderr.write(`${clearScreen}${heading}\n\n${showCursor}`);
      };
      redrawAll();
      return ask();
    },
    copyToClipboard: (text) => {
      const isSupported = supportsClipboard(env);
      if (isSupported) stderr.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`);
      return isSupported;
    },
  };
}

/**
 * Returns whether a terminal may support copying to the clipboard (OSC 52). Support cannot be queried. The Linux
 * console, Apple's Terminal and VTE terminals lack it.
 */
export function supportsClipboard({ TERM = '', TERM_PROGRAM, VTE_VERSION }: FullScreenOptions['env']) {
  const isUnsupported = TERM_PROGRAM === 'Apple_Terminal' || VTE_VERSION !== undefined;
  return !isUnsupported && !/^(linux|vt\d|dumb|$)/.test(TERM);
}
