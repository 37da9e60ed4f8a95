/** Where a value or a row stands in UTF-8 text. */
export interface TextPlace {
  /** The first byte. */
  readonly start: number;
  /** The byte after the last one. */
  readonly end: number;
  /** The number of its first line, counted from 1 as an editor counts. */
  readonly line: number;
}

/** Returns how many line breaks (LF, CRLF or CR) end between two bytes. A CRLF counts at its line feed. */
export function countLineBreaks(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at += 1) {
    if (bytes[at] === 0x0a || (bytes[at] === 0x0d && bytes[at + 1] !== 0x0a)) count += 1;
  }
  return count;
}
