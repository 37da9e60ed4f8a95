import type { KeyPress } from '../../src/terminal/full-screen.js';

/** A letter as it is typed. */
export function text(letter: string): KeyPress {
  return { name: letter, ctrl: false, shift: false, text: letter };
}

/** A key that has a name and no letter. */
export function named(name: string): KeyPress {
  return { name, ctrl: false, shift: false };
}

/** A key pressed with Ctrl. */
export function control(name: string): KeyPress {
  return { name, ctrl: true, shift: false };
}
