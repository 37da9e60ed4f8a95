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

/** Returns a function that returns a key press for a key, and at the end of marked pasted text one for each character. */
export function createKeyReader(): (key: ReadlineKey) => readonly KeyPress[] {
  let pasted: string | undefined;
  return (key) => {
    if (key.name === 'paste-start') pasted = '';
    else if (key.name === 'paste-end') {
      const text = pasted ?? '';
      pasted = undefined;
      // A terminal sends Enter for each line break, and the last one is an accident.
      return [...text.replace(/[\r\n]+$/, '').replace(/\r\n?|\n/g, ' ')].map((sequence) => toKeyPress({ sequence }));
    } else if (pasted === undefined) return [toKeyPress(key)];
    else pasted += key.sequence ?? '';
    return [];
  };
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
