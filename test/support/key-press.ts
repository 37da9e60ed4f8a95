import type { KeyPress } from '../../src/terminal/key-press.js';

/** Returns the key press of a letter. */
export function letterKey(letter: string): KeyPress {
  return { name: letter, ctrl: false, shift: false, text: letter };
}

/** Returns the key press of a named key without a character. */
export function namedKey(name: string): KeyPress {
  return { name, ctrl: false, shift: false };
}

/** Returns a key press with Ctrl. */
export function ctrlKey(name: string): KeyPress {
  return { name, ctrl: true, shift: false };
}
