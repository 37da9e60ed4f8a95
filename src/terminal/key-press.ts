import { stripVTControlCharacters } from 'node:util';

export interface KeyPress {
  /** `up`, `pageDown`, `enter`, or a lowercase letter; missing for most other characters. */
  readonly name?: string;
  readonly ctrl: boolean;
  readonly shift: boolean;
  /** The character to insert, or pasted text, if any. */
  readonly text?: string;
  /** True if every character is text, even if it is a shortcut when typed. */
  readonly isPasted?: true;
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

/** Returns the key press of a key or of pasted text, or nothing if it has no meaning. */
export function toKeyPress(key: ReadlineKey): KeyPress | undefined {
  if (key.sequence === '') return undefined;
  return key.name === 'paste' ? toPastedText(key.sequence ?? '') : toTypedKey(key);
}

/** Drops escape sequences as a whole, and other control characters except tabs. */
function toPastedText(sequence: string): KeyPress {
  const text = stripVTControlCharacters(sequence)
    .replace(/\t/g, ' ')
    .replace(/\p{Cc}/gu, '');
  return { ctrl: false, shift: false, text, isPasted: true };
}

function toTypedKey({ name, sequence = '', ctrl = false, meta = false, shift = false }: ReadlineKey): KeyPress {
  // Enter sends a carriage return.
  if (sequence === '\n') return { name: 'j', ctrl: true, shift };
  const isText = !ctrl && !meta && /^(?:\P{C}|\p{Join_Control})$/u.test(sequence);
  return {
    ...(name !== undefined && { name: names[name] ?? name }),
    ctrl,
    shift,
    ...(isText && { text: sequence }),
  };
}
