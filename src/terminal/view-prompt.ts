import { createPrompt, useEffect, useKeypress } from '@inquirer/core';
import type { Clock } from '../clock.js';
import { canceledError } from '../failure.js';
import type { JobControl } from './job-control.js';
import { type KeyPress, toKeyPress } from './key-press.js';
import type { Style } from './output.js';
import { markPaste } from './paste.js';
import type { ReadlineKey } from './readline-key.js';

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

export interface ViewOptions {
  readonly style: Style;
  readonly stdin: NodeJS.ReadStream;
  readonly stderr: NodeJS.WriteStream;
  readonly clock: Clock;
  readonly jobControl: JobControl;
  readonly abort: (reason: unknown) => void;
  /** Called with a function that draws the view again. */
  readonly onOpen: (redraw: () => void) => void;
}

/** Returns a prompt that draws a view until one of its keys closes it. It writes nothing to the output of the prompt. */
export function createViewPrompt(
  view: FullScreenView,
  { style, stdin, stderr, clock, jobControl, abort, onOpen }: ViewOptions,
) {
  const drawer = openLineDrawer(stderr);
  const closed = new AbortController();
  let isDue = false;
  let isSuspended = false;
  const draw = () => {
    isDue = false;
    // Timers and responses may run before the process handles SIGCONT, and after `bg`.
    if (closed.signal.aborted || isSuspended) return;
    try {
      drawer.draw(view.draw({ columns: stderr.columns || 80, rows: stderr.rows || 24 }, style));
    } catch (error) {
      abort(error);
    }
  };
  // Keys that arrive together need one drawing.
  const redraw = () => {
    if (!isDue) setImmediate(draw);
    isDue = true;
  };
  const redrawAll = () => {
    drawer.reset();
    redraw();
  };
  return createPrompt<void, Record<never, never>>((_, done) => {
    useEffect((readline) => {
      // Readline closes on Ctrl-D, because its line is empty.
      const onClose = () => abort(canceledError());
      // Its input fails if the terminal is closed.
      readline.on('error', onClose);
      readline.on('close', onClose);
      const suspend = () => {
        isSuspended = true;
      };
      const resume = () => {
        isSuspended = false;
        redrawAll();
      };
      const removeView = jobControl.add({ suspend, resume });
      onOpen(redraw);
      stderr.on('resize', redrawAll);
      void redrawEverySecond(clock, closed.signal, redraw);
      draw();
      // Readline has the text that was typed before the view opened.
      const text = readline.line;
      readline.clearLine(0);
      if (text !== '') view.onKey({ ctrl: false, shift: false, text, isPasted: true });
      return () => {
        closed.abort();
        readline.removeListener('close', onClose);
        removeView();
        stderr.off('resize', redrawAll);
      };
    }, []);
    useKeypress((key, readline) => {
      // Clears the input line of readline, because the view handles every key.
      readline.clearLine(0);
      try {
        const press = toKeyPress(key);
        // Other programs may have written to the terminal.
        if (press?.ctrl && press.name === 'l') redrawAll();
        else if (press && view.onKey(press)) {
          keepRest(stdin);
          done();
        } else redraw();
      } catch (error) {
        abort(error);
      }
    });
    return '';
  });
}

/** Puts the keys that were read together with this one back into the input, for the next prompt. */
function keepRest(stdin: NodeJS.ReadStream): void {
  let rest = '';
  const onKey = (_: unknown, { ctrl, name, sequence = '' }: ReadlineKey = {}) => {
    // Readline handles this key itself.
    if (!(ctrl && name === 'z')) rest += sequence;
  };
  stdin.on('keypress', onKey);
  setImmediate(() => {
    stdin.off('keypress', onKey);
    if (rest !== '' && stdin.readable) stdin.unshift(Buffer.from(rest));
  });
}

const control = '\u001b[';
/** Without wrapping (DECAWM), a line that is too wide after a resize does not overwrite the next one. */
const cutLines = `${control}?7l`;
const wrapLines = `${control}?7h`;
const eraseRest = `${control}K`;
const hideCursor = `${control}?25l`;
const clearScreen = `${control}2J${control}H`;

/** Draws the lines that have changed: erasing the others would flicker. */
function openLineDrawer(stderr: NodeJS.WriteStream) {
  let shown: readonly string[] | undefined;
  return {
    reset: () => {
      shown = undefined;
    },
    draw: (lines: readonly string[]) => {
      const start = shown ? '' : hideCursor + markPaste + clearScreen;
      const count = Math.max(lines.length, shown?.length ?? 0);
      const changedLines = Array.from({ length: count }, (_, index) => {
        const line = lines[index] ?? '';
        return line === (shown?.[index] ?? '') ? '' : `${control}${index + 1}H${eraseRest}${line}`;
      });
      shown = lines;
      const text = start + changedLines.join('');
      if (text !== '') stderr.write(cutLines + text + wrapLines);
    },
  };
}

async function redrawEverySecond(clock: Clock, closed: AbortSignal, redraw: () => void): Promise<void> {
  while (!closed.aborted) {
    await clock.sleep(1_000, closed).catch(() => {});
    redraw();
  }
}
