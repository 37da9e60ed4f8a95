import { emitKeypressEvents, type Interface } from 'node:readline';
import type { Clock } from '../clock.js';
import { type PromptIo, runPrompt } from './run-prompt.js';
import type { Style } from './style.js';

/** A key as it was pressed. */
export interface KeyPress {
  /** `up`, `pageDown`, `enter`, or a letter in lower case; missing for most other characters. */
  readonly name?: string;
  readonly ctrl: boolean;
  readonly shift: boolean;
  /** The one character that it writes, if it writes any. */
  readonly text?: string;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** What has the terminal for itself. */
export interface FullScreenView {
  /** At most as many lines as there are rows, each narrower than the columns; the last one is never empty. */
  draw(size: TerminalSize, style: Style): readonly string[];
  /** True where the key ends it. */
  onKey(key: KeyPress): boolean;
}

/** The whole terminal, which onRendered is as it was. */
export interface FullScreen {
  /** Someone can look at it and type: as for questions. */
  readonly isInteractive: boolean;
  /**
   * Shows until a key ends it; draws after each key, each second, when the size changes and when told to. Fails
   * (canceled) for Ctrl-C and for signals, and with whatever `draw` or `onKey` throw.
   */
  run(show: FullScreenView): Promise<void>;
  redraw(): void;
  /** Puts text into the clipboard; false where the terminal is known not to take any. */
  copyToClipboard(text: string): boolean;
}

export interface FullScreenOptions extends PromptIo {
  readonly isInteractive: boolean;
  readonly clock: Clock;
  readonly style: () => Promise<Style>;
  /** Terminals tell by their environment what they are. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes this where the process ends otherwise than in order, until what it returns is called. */
  readonly writeOnCrash: (text: string) => () => void;
}

const control = '\u001b[';
/** The other screen, which leaves what was on this one as it is; without a cursor. */
const enter = `${control}?1049h${control}?25l`;
const leave = `${control}?1049l${control}?25h`;
const clear = `${control}2J${control}H`;

/** Esc is a key of its own so soon after it, in milliseconds; readline's half a second swallows the key after it. */
const escapeCodeTimeout = 50;

/** A prompt of @inquirer/core that has all of the terminal; loaded with the first one. */
export function openFullScreen(options: FullScreenOptions): FullScreen {
  const { isInteractive: possible, stderr, env } = options;
  let redraw = () => {};
  return {
    isInteractive: possible,
    run: async (show) => {
      const [core, style] = await Promise.all([import('@inquirer/core'), options.style()]);
      // Read once, by whoever is the first to ask a stream for keys.
      emitKeypressEvents(options.stdin, { escapeCodeTimeout } as unknown as Interface);
      const release = options.writeOnCrash(leave);
      stderr.write(enter + clear);
      try {
        await runPrompt(options, (context, end) => {
          const begun = (again: () => void) => {
            redraw = again;
          };
          return createViewPrompt(core, show, style, options, { end, begun })({}, context);
        });
      } finally {
        redraw = () => {};
        stderr.write(leave);
        release();
      }
    },
    redraw: () => redraw(),
    copyToClipboard: (text) => {
      const takes = supportsClipboard(env);
      if (takes) stderr.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`);
      return takes;
    },
  };
}

/**
 * Whether a terminal may take text for the clipboard (OSC 52). None says so; the Linux console, Apple's Terminal and
 * those by VTE are known not to.
 */
export function supportsClipboard({
  TERM = '',
  TERM_PROGRAM,
  VTE_VERSION,
}: FullScreenOptions['env']) {
  const isDeaf = TERM_PROGRAM === 'Apple_Terminal' || VTE_VERSION !== undefined;
  return !isDeaf && !/^(linux|vt\d|dumb|$)/.test(TERM);
}

function createViewPrompt(
  { createPrompt, useEffect, useKeypress, useState }: typeof import('@inquirer/core'),
  show: FullScreenView,
  style: Style,
  { stderr, clock, onResume }: FullScreenOptions,
  open: { readonly end: (reason: unknown) => void; readonly begun: (redraw: () => void) => void },
) {
  let redraw = () => {};
  return createPrompt<void, Record<never, never>>((_, done) => {
    const [, setDrawings] = useState(0);
    useEffect((readline) => {
      const over = new AbortController();
      let isDue = false;
      let isResized = false;
      // A pasted text is many keys at once, and one drawing.
      redraw = () => {
        if (isDue) return;
        isDue = true;
        setImmediate(() => {
          isDue = false;
          // What was drawn for another size has been folded by the terminal, nobody knows how.
          if (isResized && !over.signal.aborted) stderr.write(clear);
          isResized = false;
          if (!over.signal.aborted) setDrawings((count) => count + 1);
        });
      };
      const onResize = () => {
        isResized = true;
        redraw();
      };
      const forget = onResume(() => {
        // The shell may have left it.
        stderr.write(enter);
        onResize();
      });
      open.begun(redraw);
      stderr.on('resize', onResize);
      // Whoever is stopped would leave the shell on the other screen.
      readline.on('SIGTSTP', () => {});
      void redrawEverySecond(clock, over.signal, () => redraw());
      return () => {
        over.abort();
        forget();
        stderr.off('resize', onResize);
      };
    }, []);
    useKeypress((key, readline) => {
      // What is typed belongs to the one who shows, not to a line of readline's.
      readline.clearLine(0);
      try {
        if (show.onKey(toKeyPress(key))) done();
        else redraw();
      } catch (error) {
        open.end(error);
      }
    });
    return show.draw({ columns: stderr.columns || 80, rows: stderr.rows || 24 }, style).join('\n');
  });
}

async function redrawEverySecond(
  clock: Clock,
  over: AbortSignal,
  redraw: () => void,
): Promise<void> {
  while (!over.aborted) {
    await clock.sleep(1_000, over).catch(() => {});
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

function toKeyPress({
  name,
  sequence,
  ctrl = false,
  meta = false,
  shift = false,
}: ReadlineKey): KeyPress {
  const text = sequence ?? '';
  const isText = !ctrl && !meta && [...text].length === 1 && !/\p{C}/u.test(text);
  return {
    ...(name !== undefined && { name: names[name] ?? name }),
    ctrl,
    shift,
    ...(isText && { text }),
  };
}
