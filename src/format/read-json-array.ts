import { JsonError } from './json.js';
import type { TextPlace } from './text-lines.js';

/** In bytes. */
const maxItemLength = 1024 * 1024;

/** Yields the places of the non-blank lines of NDJSON in UTF-8. Throws a `JsonError` for a line longer than 1 MiB. */
export function* readNdjson(bytes: Uint8Array): Generator<TextPlace> {
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const lineFeed = bytes.indexOf(newline, start);
    const end = lineFeed < 0 ? bytes.length : lineFeed;
    if (end - start > maxItemLength) throw itemTooLong(line);
    if (bytes.subarray(start, end).some((byte) => byte > 0x20)) yield { start, end, line };
    start = end + 1;
  }
}

/**
 * Yields the places of the items of a JSON array in UTF-8, without parsing them, so that the caller can parse numbers
 * without losing digits. Throws a `JsonError` if the text is not an array, or has a comma after its last item.
 */
export function* readJsonArray(bytes: Uint8Array): Generator<TextPlace> {
  let depth = 0;
  let inString = false;
  let line = 1;
  let items = 0;
  let isClosed = false;
  /** The first byte of the current item; undefined before it. */
  let start: number | undefined;
  let firstLine = 1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (inString) {
      if (byte === backslash) at += 1;
      else if (byte === quote) inString = false;
      continue;
    }
    if (byte === newline) line += 1;
    if (byte === newline || byte === 0x20 || byte === 0x0d || byte === 0x09) continue;
    if (depth === 0) {
      if (isClosed) throw notAnArray();
      if (byte !== open) throw notAnArray('no-array');
      depth = 1;
      continue;
    }
    const isEnd = depth === 1 && (byte === comma || byte === close);
    if (!isEnd) {
      if (start === undefined) {
        start = at;
        firstLine = line;
      }
      if (at - start > maxItemLength) throw itemTooLong(firstLine);
      if (byte === quote) inString = true;
      else if (byte === open || byte === openObject) depth += 1;
      else if (byte === close || byte === closeObject) depth -= 1;
      if (depth === 0) throw notAnArray();
      continue;
    }
    isClosed = byte === close;
    if (isClosed) depth = 0;
    if (isClosed && start === undefined && items > 0) {
      throw new JsonError('malformed', `a comma before the ] on line ${line}`);
    }
    // `[]` has no items.
    if (!isClosed || start !== undefined)
      yield { start: start ?? at, end: at, line: start === undefined ? line : firstLine };
    items += 1;
    start = undefined;
  }
  if (!isClosed && depth === 0) throw notAnArray();
  if (!isClosed) throw new JsonError('truncated', 'unexpected end of the array');
}

const newline = 0x0a;
const quote = 0x22;
const comma = 0x2c;
const open = 0x5b;
const backslash = 0x5c;
const close = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

function notAnArray(reason: JsonError['reason'] = 'malformed'): JsonError {
  return new JsonError(reason, 'expected one array');
}

function itemTooLong(line: number): JsonError {
  return new JsonError('malformed', `the value that starts on line ${line} is longer than 1 MiB`);
}
