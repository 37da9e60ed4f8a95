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

/** Returns a key press for a key, and one for each character of pasted text; none for a key without a meaning. */
export function toKeyPresses(key: ReadlineKey): readonly KeyPress[] {
  if (key.name === 'paste') return [...(key.sequence ?? '')].map((sequence) => toKeyPress({ sequence }));
  return key.sequence === '' ? [] : [toKeyPress(key)];
}

function toKeyPress({ name, sequence = '', ctrl = false, meta = false, shift = false }: ReadlineKey): KeyPress {
  const isText = !ctrl && !meta && /^\P{C}$/u.test(sequence);
  return {
    ...(name !== undefined && { name: names[name] ?? name }),
    ctrl,
    shift,
    ...(isText && { text: sequence }),
  };
}
