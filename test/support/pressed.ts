import type { Key } from '../../src/terminal/screen-types.js';

/** A letter as it is typed. */
export function text(letter: string): Key {
  return { name: letter, ctrl: false, shift: false, text: letter };
}

/** A key that has a name and no letter. */
export function named(name: string): Key {
  return { name, ctrl: false, shift: false };
}

/** A key pressed with Ctrl. */
export function control(name: string): Key {
  return { name, ctrl: true, shift: false };
}
