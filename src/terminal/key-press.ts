export interface KeyPress {
  /** `up`, `pageDown`, `enter`, or a lowercase letter; missing for most other characters. */
  readonly name?: string;
  readonly ctrl: boolean;
  readonly shift: boolean;
  /** The character to insert, if any. */
  readonly text?: string;
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

/** Returns the key press of a key as readline emits it. */
export function toKeyPress({ name, sequence = '', ctrl = false, meta = false, shift = false }: ReadlineKey): KeyPress {
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
