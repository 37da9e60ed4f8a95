import { createPrompt, useEffect, useKeypress } from '@inquirer/core';
import type { Clock } from '../clock.js';
import { type KeyPress, toKeyPress } from './key-press.js';
import type { Style } from './output.js';
import { cutLines, wrapLines } from './redraw.js';

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
  readonly stderr: NodeJS.WriteStream;
  readonly clock: Clock;
  /** False while the shell uses the terminal. */
  readonly isShown: () => boolean;
  readonly abort: (reason: unknown) => void;
  /** Called with functions that draw what has changed, and that draw everything. */
  readonly onOpen: (redraw: () => void, redrawAll: () => void) => void;
}

/** Returns a prompt that draws a view until one of its keys closes it. It writes nothing to the output of the prompt. */
export function createViewPrompt(view: FullScreenView, { style, stderr, clock, isShown, abort, onOpen }: ViewOptions) {
  const drawer = openLineDrawer(stderr);
  const closed = new AbortController();
  let isDue = false;
  const draw = () => {
    isDue = false;
    // Timers and responses may run before the process handles SIGCONT.
    if (closed.signal.aborted || !isShown()) return;
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
    useEffect(() => {
      onOpen(redraw, redrawAll);
      stderr.on('resize', redrawAll);
      void redrawEverySecond(clock, closed.signal, redraw);
      draw();
      return () => {
        closed.abort();
        stderr.off('resize', redrawAll);
      };
    }, []);
    useKeypress((key, readline) => {
      // Clears the input line of readline, because the view handles every key.
      readline.clearLine(0);
      try {
        const press = toKeyPress(key);
        // Other programs may have written to the terminal.
        if (press.ctrl && press.name === 'l') redrawAll();
        else if (view.onKey(press)) done();
        else redraw();
      } catch (error) {
        abort(error);
      }
    });
    return '';
  });
}

const control = '\u001b[';
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
      const start = shown ? '' : hideCursor + clearScreen;
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
