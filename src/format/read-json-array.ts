import { JsonError } from './json.js';

/** Where a value or a row stands in UTF-8 text. */
export interface TextPlace {
  /** The first byte. */
  readonly start: number;
  /** The byte after the last one. */
  readonly end: number;
  /** The number of its first line, counted from 1 as an editor counts. */
  readonly line: number;
}

/** Yields the places of the non-blank lines of NDJSON in UTF-8. */
export function* readNdjson(bytes: Uint8Array): Generator<TextPlace> {
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const lineFeed = bytes.indexOf(0x0a, start);
    const end = lineFeed < 0 ? bytes.length : lineFeed;
    if (bytes.subarray(start, end).some((byte) => byte > 0x20)) yield { start, end, line };
    start = end + 1;
  }
}

/**
 * Yields the places of the items of a JSON array in UTF-8, without parsing them, so that the caller can parse numbers
 * without losing digits. The place between two commas, or before the end of the array, is an item too. Throws a
 * `JsonError` if the text is not one array.
 */
export function* readJsonArray(bytes: Uint8Array): Generator<TextPlace> {
  let depth = 0;
  let inString = false;
  let line = 1;
  let count = 0;
  /** The first byte of the current item; undefined before it. */
  let item: Pick<TextPlace, 'start' | 'line'> | undefined;
  let isClosed = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const character = String.fromCharCode(bytes[at] as number);
    if (character === '\n') line += 1;
    if (inString) {
      if (character === '\\') at += 1;
      else inString = character !== '"';
    } else if (character > ' ') {
      const isEnd = depth === 1 && (character === ',' || character === ']');
      if (isEnd) {
        // `[]` has no items.
        if (item || character === ',' || count > 0) yield { start: at, line, ...item, end: at };
        count += 1;
        item = undefined;
      } else if (depth === 1) item ??= { start: at, line };
      if (depth === 0 && (isClosed || character !== '[')) throw notAnArray();
      if (character === '"') inString = true;
      else if (character === '[' || character === '{') depth += 1;
      else if (character === ']' || character === '}') depth -= 1;
      isClosed = depth === 0;
      if (isClosed && character !== ']') throw notAnArray();
    }
  }
  if (!isClosed) throw new JsonError('unexpected end of the array', true);
}

function notAnArray(): JsonError {
  return new JsonError('expected one array');
}
