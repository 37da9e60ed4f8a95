import type { Clock } from '../clock.js';
import type { JobControl } from './job-control.js';
import type { Style } from './output.js';
import { type PromptIo, runPrompt } from './run-prompt.js';

export interface KeyPress {
  /** `up`, `pageDown`, `enter`, or a lowercase letter; missing for most other characters. */
  readonly name?: string;
  readonly ctrl: boolean;
  readonly shift: boolean;
  /** The character to insert, if any. */
  readonly text?: string;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface FullScreenView {
  /** Returns at most `rows` lines, each narrower than the terminal. The last line is never empty. */
  draw(size: TerminalSize, style: Style): readonly string[];
  /** Returns true to close the view. */
  onKey(key: KeyPress): boolean;
}

/** The alternate screen of the terminal. */
export interface FullScreen {
  /** True if the terminal is interactive and prompts are enabled. */
  readonly isInteractive: boolean;
  /**
   * Shows a view until a key closes it. Redraws after each key, each second, on a resize and on `redraw`. Throws a
   * failure (canceled) on Ctrl-C or a signal, and whatever `draw` or `onKey` throw.
   */
  run(view: FullScreenView): Promise<void>;
  redraw(): void;
  /** Runs prompts on an empty alternate screen. */
  showPrompts<Answer>(ask: () => Promise<Answer>): Promise<Answer>;
  /** Copies text to the clipboard. Returns false if the terminal is known not to support that. */
  copyToClipboard(text: string): boolean;
}

export interface FullScreenOptions extends PromptIo {
  readonly isInteractive: boolean;
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

/** Returns a full screen, drawn by a prompt of @inquirer/core that is loaded on first use. */
export function openFullScreen(options: FullScreenOptions): FullScreen {
  const { isInteractive, stderr, env } = options;
  let redraw = () => {};
  return {
    isInteractive,
    run: async (view) => {
      const [core, style] = await Promise.all([import('@inquirer/core'), options.style()]);
      const jobControl = await options.openJobControl();
      const release = options.writeOnCrash(leaveScreen);
      stderr.write(enterScreen + clearScreen);
      try {
        await runPrompt(options, (context, abort) => {
          const onOpen = (redrawView: () => void) => {
            redraw = redrawView;
          };
          return createViewPrompt(core, view, style, options, jobControl, { abort, onOpen })({}, context);
        });
      } finally {
        redraw = () => {};
        stderr.write(leaveScreen);
        release();
      }
    },
    redraw: () => redraw(),
    showPrompts: async (ask) => {
      const release = options.writeOnCrash(leaveScreen);
      const enter = () => void stderr.write(`${enterScreen}${clearScreen}${showCursor}`);
      const jobControl = await options.openJobControl();
      const removeView = jobControl.add({ suspend: () => void stderr.write(leaveScreen), resume: enter });
      enter();
      try {
        return await ask();
      } finally {
        removeView();
        stderr.write(leaveScreen);
        release();
      }
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

function createViewPrompt(
  { createPrompt, useEffect, useKeypress, useState }: typeof import('@inquirer/core'),
  view: FullScreenView,
  style: Style,
  { stderr, clock }: FullScreenOptions,
  jobControl: JobControl,
  open: {
    readonly abort: (reason: unknown) => void;
    readonly onOpen: (redraw: () => void) => void;
  },
) {
  let redraw = () => {};
  return createPrompt<void, Record<never, never>>((_, done) => {
    const [, setDrawings] = useState(0);
    useEffect(() => {
      const closed = new AbortController();
      let isDue = false;
      let isResized = false;
      // Pasted text is many keys but needs one redraw.
      redraw = () => {
        if (isDue) return;
        isDue = true;
        setImmediate(() => {
          isDue = false;
          // The terminal has rewrapped the old content.
          if (isResized && !closed.signal.aborted) stderr.write(clearScreen);
          isResized = false;
          if (!closed.signal.aborted) setDrawings((count) => count + 1);
        });
      };
      const onResize = () => {
        isResized = true;
        redraw();
      };
      const removeView = jobControl.add({
        suspend: () => void stderr.write(leaveScreen),
        resume: () => {
          stderr.write(enterScreen);
          onResize();
        },
      });
      open.onOpen(redraw);
      stderr.on('resize', onResize);
      void redrawEverySecond(clock, closed.signal, () => redraw());
      return () => {
        closed.abort();
        removeView();
        stderr.off('resize', onResize);
      };
    }, []);
    useKeypress((key, readline) => {
      // Clears the input line of readline, because the view handles every key.
      readline.clearLine(0);
      try {
        if (view.onKey(toKeyPress(key))) done();
        else redraw();
      } catch (error) {
        open.abort(error);
      }
    });
    return view.draw({ columns: stderr.columns || 80, rows: stderr.rows || 24 }, style).join('\n');
  });
}

async function redrawEverySecond(clock: Clock, closed: AbortSignal, redraw: () => void): Promise<void> {
  while (!closed.aborted) {
    await clock.sleep(1_000, closed).catch(() => {});
    redraw();
  }
}

interface ReadlineKey {
  readonly name?: string;
  readonly sequence?: string;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
  readonly shift?: boolean;
}

const names: Readonly<Record<string, string>> = {
  return: 'enter',
  pageup: 'pageUp',
  pagedown: 'pageDown',
};

function toKeyPress({ name, sequence, ctrl = false, meta = false, shift = false }: ReadlineKey): KeyPress {
  const text = sequence ?? '';
  const isText = !ctrl && !meta && [...text].length === 1 && !/\p{C}/u.test(text);
  return {
    ...(name !== undefined && { name: names[name] ?? name }),
    ctrl,
    shift,
    ...(isText && { text }),
  };
}
