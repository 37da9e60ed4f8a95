import { emitKeypressEvents, type Interface } from 'node:readline';
import type { Clock } from '../clock.js';
import { attend, type Person } from './run-prompt.js';
import type { Key, Screen, Show } from './screen-types.js';
import type { Style } from './style-types.js';

export interface ScreenOptions extends Person {
  readonly possible: boolean;
  readonly clock: Clock;
  readonly style: () => Promise<Style>;
  /** Terminals tell by their environment what they are. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes this where the process ends otherwise than in order, until what it returns is called. */
  readonly atCrash: (text: string) => () => void;
}

const control = '\u001b[';
/** The other screen, which leaves what was on this one as it is; without a cursor. */
const enter = `${control}?1049h${control}?25l`;
const leave = `${control}?1049l${control}?25h`;
const clear = `${control}2J${control}H`;

/** Esc is a key of its own so soon after it, in milliseconds; readline's half a second swallows the key after it. */
const escapeCodeTimeout = 50;

/** A prompt of @inquirer/core that has all of the terminal; loaded with the first one. */
export function openScreen(options: ScreenOptions): Screen {
  const { possible, stderr, env } = options;
  let redraw = () => {};
  return {
    possible,
    run: async (show) => {
      const [core, style] = await Promise.all([import('@inquirer/core'), options.style()]);
      // Read once, by whoever is the first to ask a stream for keys.
      emitKeypressEvents(options.stdin, { escapeCodeTimeout } as unknown as Interface);
      const release = options.atCrash(leave);
      stderr.write(enter + clear);
      try {
        await attend(options, (context, end) => {
          const begun = (again: () => void) => {
            redraw = again;
          };
          return promptOf(core, show, style, options, { end, begun })({}, context);
        });
      } finally {
        redraw = () => {};
        stderr.write(leave);
        release();
      }
    },
    redraw: () => redraw(),
    copy: (text) => {
      const takes = takesClipboard(env);
      if (takes) stderr.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`);
      return takes;
    },
  };
}

/**
 * Whether a terminal may take text for the clipboard (OSC 52). None says so; the Linux console, Apple's Terminal and
 * those by VTE are known not to.
 */
export function takesClipboard({ TERM = '', TERM_PROGRAM, VTE_VERSION }: ScreenOptions['env']) {
  const isDeaf = TERM_PROGRAM === 'Apple_Terminal' || VTE_VERSION !== undefined;
  return !isDeaf && !/^(linux|vt\d|dumb|$)/.test(TERM);
}

function promptOf(
  { createPrompt, useEffect, useKeypress, useState }: typeof import('@inquirer/core'),
  show: Show,
  style: Style,
  { stderr, clock, onResume }: ScreenOptions,
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
      void everySecond(clock, over.signal, () => redraw());
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
        if (show.onKey(keyOf(key))) done();
        else redraw();
      } catch (error) {
        open.end(error);
      }
    });
    return show.draw({ columns: stderr.columns || 80, rows: stderr.rows || 24 }, style).join('\n');
  });
}

async function everySecond(clock: Clock, over: AbortSignal, redraw: () => void): Promise<void> {
  while (!over.aborted) {
    await clock.sleep(1_000, over).catch(() => {});
    redraw();
  }
}

interface Pressed {
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

function keyOf({ name, sequence, ctrl = false, meta = false, shift = false }: Pressed): Key {
  const text = sequence ?? '';
  const isText = !ctrl && !meta && [...text].length === 1 && !/\p{C}/u.test(text);
  return {
    ...(name !== undefined && { name: names[name] ?? name }),
    ctrl,
    shift,
    ...(isText && { text }),
  };
}
