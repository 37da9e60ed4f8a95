import { emitKeypressEvents, type Interface, type Key } from 'node:readline';
import type { Clock } from '../clock.js';
import { canceledError } from '../failure.js';
import type { Style } from './output.js';
import { keypressOptions, type PromptIo } from './prompts.js';
import type { ProcessHandle } from './signals.js';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface KeyPress {
  /** `pageup`, `ctrl+n` or `shift+tab`; empty for text. */
  readonly name: string;
  /** The character to insert. */
  readonly text?: string;
}

export interface FullScreenView {
  /** Returns at most `rows` lines, each narrower than the terminal. */
  draw(size: TerminalSize, style: Style): readonly string[];
  /** Returns true to close the view. */
  onKey(key: KeyPress): boolean;
}

/** The alternate screen of the terminal. */
export interface FullScreen extends Pick<PromptIo, 'isInteractive' | 'disableReason'> {
  /**
   * Shows a view on the alternate screen until a key closes it. Draws it after each key, each second, on a resize and on
   * `redraw`. Throws a failure (canceled) on Ctrl-C or a signal, and whatever `draw` or `onKey` throw.
   */
  run(view: FullScreenView): Promise<void>;
  redraw(): void;
  /** Asks the terminal to copy text (OSC 52). Whether it does is unknown. */
  copyToClipboard(text: string): void;
}

export interface FullScreenOptions extends PromptIo {
  readonly clock: Clock;
  readonly style: () => Promise<Style>;
  readonly host: Pick<ProcessHandle, 'on' | 'off'>;
}

const control = '\u001b[';
/** Switches to the alternate screen and hides the cursor. */
const enterScreen = `${control}?1049h${control}?25l`;
const leaveScreen = `${control}?1049l${control}?25h`;

/** Returns a full screen. It draws everything at once (synchronized output, mode 2026), so that nothing flickers. */
export function openFullScreen(options: FullScreenOptions): FullScreen {
  const { isInteractive, disableReason, stderr } = options;
  const screen: FullScreen = {
    isInteractive,
    disableReason,
    run: async (view) => showView(view, await options.style(), options, screen),
    redraw: () => {},
    copyToClipboard: (text) => void stderr.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`),
  };
  return screen;
}

async function showView(
  view: FullScreenView,
  style: Style,
  { stdin, stderr, signal, clock, openJobControl, host }: FullScreenOptions,
  screen: FullScreen,
): Promise<void> {
  signal.throwIfAborted();
  // A stream that has ended emits no `end`.
  if (!stdin.readable) throw canceledError();
  const jobControl = await openJobControl();
  jobControl.stopInBackground();
  const closed = new AbortController();
  let close = () => {};
  let fail: (reason: unknown) => void = () => {};
  const result = new Promise<void>((resolve, reject) => {
    close = resolve;
    fail = reject;
  });
  let isShown = false;
  let isDue = false;
  const attempt = (work: () => void) => {
    try {
      work();
    } catch (error) {
      fail(error);
    }
  };
  const draw = () => {
    isDue = false;
    if (!isShown) return;
    const size = { columns: stderr.columns || 80, rows: stderr.rows || 24 };
    attempt(() => void stderr.write(renderFrame(view.draw(size, style))));
  };
  // Keys that arrive together need one drawing.
  const redraw = () => {
    if (!isDue) setImmediate(draw);
    isDue = true;
  };
  const onResize = () => {
    // Some terminals keep what a narrower screen cuts off.
    if (isShown) stderr.write(`${control}2J`);
    redraw();
  };
  const enter = () => {
    isShown = true;
    stdin.setRawMode(true);
    stderr.write(enterScreen);
    draw();
  };
  const leave = () => {
    // Leaving the alternate screen twice would restore an old cursor position.
    if (!isShown) return;
    isShown = false;
    stderr.write(leaveScreen);
    if (stdin.readable) stdin.setRawMode(false);
  };
  const suspend = async () => {
    leave();
    await jobControl.suspend();
    // Between the two, a signal or the end of the terminal may have closed the view.
    if (!closed.signal.aborted) enter();
  };
  const onKey = (_: unknown, key: Key) => {
    const press = toKeyPress(key);
    if (press.name === 'ctrl+c') return fail(canceledError());
    if (press.name === 'ctrl+z') return void suspend();
    attempt(() => (view.onKey(press) ? close() : redraw()));
  };
  const onEnd = () => fail(canceledError());
  const onAbort = () => fail(signal.reason);
  const drawEverySecond = async () => {
    while (!closed.signal.aborted) {
      await clock.sleep(1_000, closed.signal).catch(() => {});
      redraw();
    }
  };
  emitKeypressEvents(stdin, keypressOptions as unknown as Interface);
  stdin.on('keypress', onKey).on('end', onEnd).on('close', onEnd).on('error', onEnd).resume();
  stderr.on('resize', onResize);
  signal.addEventListener('abort', onAbort);
  host.on('exit', leave).on('uncaughtExceptionMonitor', leave);
  screen.redraw = redraw;
  try {
    enter();
    void drawEverySecond();
    await result;
  } finally {
    closed.abort();
    leave();
    // A stream that is still read keeps the process alive.
    stdin.off('keypress', onKey).off('end', onEnd).off('close', onEnd).off('error', onEnd).pause();
    stderr.off('resize', onResize);
    signal.removeEventListener('abort', onAbort);
    host.off('exit', leave).off('uncaughtExceptionMonitor', leave);
  }
}

/**
 * Returns the sequence that replaces the screen by these lines. Wrapping (DECAWM) is off meanwhile: if the terminal becomes
 * narrower just before the frame arrives, wrapped lines would move the cursor.
 */
function renderFrame(lines: readonly string[]): string {
  const rows = lines.map((line) => `${line}${control}K`).join('\r\n');
  return `${control}?2026h${control}?7l${control}H${rows}${control}J${control}?7h${control}?2026l`;
}

/** Returns the key press of a key as readline emits it. */
function toKeyPress({ name = '', sequence = '', ctrl, meta, shift }: Key): KeyPress {
  if (!ctrl && !meta && /^(?:\P{C}|\p{Join_Control})$/u.test(sequence)) return { name: '', text: sequence };
  return { name: ctrl ? `ctrl+${name}` : shift && name === 'tab' ? 'shift+tab' : name };
}
