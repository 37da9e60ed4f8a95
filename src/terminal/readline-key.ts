/** A key as readline emits it. */
export interface ReadlineKey {
  name?: string | undefined;
  sequence?: string;
  ctrl?: boolean;
  meta?: boolean;
  shift?: boolean;
}

/** Makes readline ignore a key: it ignores unknown keys with Ctrl. */
export function ignoreKey(key: ReadlineKey): void {
  Object.assign(key, { name: undefined, sequence: '', ctrl: true, meta: false, shift: false });
}

/**
 * Returns true for typed keys that readline inserts as control characters. With `ctrl`, it inserts nothing, and a prompt
 * still gets the key: Tab changes the answer to a confirmation.
 */
export function insertsControlCharacter({ name, sequence = '' }: ReadlineKey): boolean {
  return name !== 'paste' && insertedKeys.includes(sequence);
}

/** Tab, Ctrl-\ and Ctrl-]. Other control characters have a name with `ctrl`, or are the keys of undo and redo. */
const insertedKeys: readonly string[] = ['\t', '\u001c', '\u001d'];
