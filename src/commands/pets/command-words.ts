/** Returns the words of flags in a command; flags that are undefined are left out. */
export function toFlagWords(flags: Readonly<Record<string, string | number | true | undefined>>): readonly string[] {
  return Object.entries(flags).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, ...(value === true ? [] : [String(value)])],
  );
}

/** Returns a path that a command cannot mistake for a flag or for standard input. */
export function toPathArgument(path: string): string;
export function toPathArgument(path: string | undefined): string | undefined;
export function toPathArgument(path: string | undefined): string | undefined {
  return path?.startsWith('-') ? `./${path}` : path;
}
