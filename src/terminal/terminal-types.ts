import type { ColorMode } from '../config/settings.js';
import type { SafeText } from '../format/safe.js';
import type { Ask } from './prompter.js';
import type { Screen } from './screen-types.js';
import type { Style } from './style-types.js';

/** Where text goes; a terminal or a pipe. */
export interface Output {
  readonly isTerminal: boolean;
  /** Columns of the terminal now; `undefined` off a terminal. */
  readonly columns: number | undefined;
  /** Resolves when text or bytes were taken; never rejects for a reader that is gone (`closed` tells). */
  write(content: string | Uint8Array): Promise<void>;
  readonly closed: boolean;
}

export interface Input {
  readonly isTerminal: boolean;
  /** Everything up to the end of input, in bytes; fails (usage) past `limit` bytes, and when aborted. */
  read(limit: number, signal: AbortSignal): Promise<Uint8Array>;
  /** The same, as it comes and without a bound. */
  chunks(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** How far something has come. */
export interface Bar {
  /** False where nothing is drawn, and one should tell in lines. */
  readonly isDrawn: boolean;
  update(done: number, text: SafeText): void;
  stop(): void;
}

export interface ManualPage {
  /** Its name below `man/`. */
  readonly file: string;
  readonly text: (width?: number) => string;
  /** The user's command for long texts; empty for the usual one. */
  readonly pager: string;
}

export interface Terminal {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Input;
  /** True where a line on stderr can be drawn again. */
  readonly redraws: boolean;
  /** Shows where it can that something is waited for, once that takes long; `stop` takes it away. */
  wait(text: () => SafeText): { stop(): Promise<void> };
  /** A bar where a line can be redrawn; nothing elsewhere. */
  bar(total: number): Promise<Bar>;
  /** Questions on this terminal; `allowed` tells whether settings and environment let one ask at all. */
  ask(options: {
    readonly allowed: boolean;
    readonly yes: boolean;
    readonly color: ColorMode;
    /** Asks by number, a line at a time. */
    readonly accessible: boolean;
    readonly signal: AbortSignal;
    /** Makes signals abort `signal` until what it returns is called. */
    readonly hold: () => () => void;
  }): Ask;
  /** The whole of it, for a command that draws on it; the options are those of questions. */
  screen(options: Omit<Parameters<Terminal['ask']>[0], 'yes' | 'accessible'>): Promise<Screen>;
  /** Shows a page of the manual a screen at a time on a terminal; elsewhere it is written as text. */
  page(page: ManualPage): Promise<void>;
  style(stream: 'stdout' | 'stderr', color: ColorMode): Promise<Style>;
}
