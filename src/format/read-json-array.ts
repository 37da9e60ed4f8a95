import { JsonError } from './json.js';

/** Text of one JSON value and the number of its first line, counted from 1. */
export interface JsonItem {
  readonly text: string;
  readonly line: number;
}

/** In characters. */
const maxItemLength = 1024 * 1024;

/** Yields the non-blank lines of NDJSON. Throws a `JsonError` for a line longer than 1 MiB. */
export async function* readNdjson(chunks: AsyncIterable<string>): AsyncGenerator<JsonItem> {
  let rest = '';
  let line = 1;
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() as string;
    for (const text of lines) {
      if (text.trim() !== '') yield { text, line };
      line += 1;
    }
    if (rest.length > maxItemLength) throw itemTooLong(line);
  }
  if (rest.trim() !== '') yield { text: rest, line };
}

/**
 * Yields the items of a JSON array as they arrive, as unparsed text, so that the caller can parse numbers without
 * losing digits. Throws a `JsonError` if the text is not an array, or has a comma after its last item.
 */
export async function* readJsonArray(chunks: AsyncIterable<string>): AsyncGenerator<JsonItem> {
  let depth = 0;
  let inString = false;
  let escaped = false;
  let text = '';
  let line = 1;
  let firstLine = 1;
  let items = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const character = chunk.charCodeAt(at);
      if (inString) {
        if (escaped) escaped = false;
        else if (character === backslash) escaped = true;
        else if (character === quote) inString = false;
        continue;
      }
      if (character === newline) line += 1;
      if (isSpace(character)) {
        // Skips whitespace before an item.
        if (text === '' && at === from) from = at + 1;
        continue;
      }
      if (depth === 0) {
        if (items > 0) throw notAnArray();
        if (character !== open) throw notAnArray('no-array');
        depth = 1;
        items = 1;
        from = at + 1;
        continue;
      }
      if (text === '' && at === from) firstLine = line;
      if (character === quote) inString = true;
      else if (character === open || character === openObject) depth += 1;
      else if (character === close || character === closeObject) depth -= 1;
      if (depth > 1 || (depth === 1 && character !== comma)) continue;
      if (depth === 0 && character !== close) throw notAnArray();
      const item = text + chunk.slice(from, at);
      if (depth === 0 && items > 1 && item === '')
        throw new JsonError('malformed', `a comma before the ] on line ${line}`);
      // `[]` has no items.
      if (depth === 1 || items > 1 || item !== '') yield { text: item, line: firstLine };
      items += 1;
      text = '';
      from = at + 1;
    }
    text += chunk.slice(from);
    if (text.length > maxItemLength) throw itemTooLong(firstLine);
  }
  if (items === 0) throw notAnArray();
  if (depth > 0) throw new JsonError('truncated', 'unexpected end of the array');
}

const [quote, backslash, newline, comma] = ['"', '\\', '\n', ','].map(codeOf);
const [open, close, openObject, closeObject] = ['[', ']', '{', '}'].map(codeOf);

function codeOf(character: string): number {
  return character.charCodeAt(0);
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function notAnArray(reason: JsonError['reason'] = 'malformed'): JsonError {
  return new JsonError(reason, 'expected one array');
}

function itemTooLong(line: number): JsonError {
  return new JsonError('malformed', `the value that starts on line ${line} is longer than 1 MiB`);
}
