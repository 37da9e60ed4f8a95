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
