import type { Style } from './style-types.js';

/** A key as it was pressed. */
export interface Key {
  /** `up`, `pageDown`, `enter`, or a letter in lower case; missing for most other characters. */
  readonly name?: string;
  readonly ctrl: boolean;
  readonly shift: boolean;
  /** The one character that it writes, if it writes any. */
  readonly text?: string;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** What has the terminal for itself. */
export interface Show {
  /** At most as many lines as there are rows, each narrower than the columns; the last one is never empty. */
  draw(size: Size, style: Style): readonly string[];
  /** True where the key ends it. */
  onKey(key: Key): boolean;
}

/** The whole terminal, which afterwards is as it was. */
export interface Screen {
  /** Someone can look at it and type: as for questions. */
  readonly possible: boolean;
  /**
   * Shows until a key ends it; draws after each key, each second, when the size changes and when told to. Fails
   * (canceled) for Ctrl-C and for signals, and with whatever `draw` or `onKey` throw.
   */
  run(show: Show): Promise<void>;
  redraw(): void;
  /** Puts text into the clipboard; false where the terminal is known not to take any. */
  copy(text: string): boolean;
}
