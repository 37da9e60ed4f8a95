import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json';
import { escapeDocument, unicodeEscape } from './safe-text.js';

/** Error for text that petstore cannot read as JSON. The message, a noun phrase, never quotes the text. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  /** True if the text may be the start of a valid document. */
  readonly isTruncated: boolean;

  constructor(message: string, isTruncated = false) {
    super(message);
    this.isTruncated = isTruncated;
  }
}

const maxDepth = 64;

/**
 * Parses one JSON document (RFC 8259). Numbers keep their digits as a `LosslessNumber`, and a byte order mark is
 * stripped. Throws a `JsonError`, also for a key with two different values and for more than 64 levels.
 */
export function parseJson(source: Uint8Array | string): unknown {
  const text = typeof source === 'string' ? stripByteOrderMark(source) : decodeUtf8(source);
  if (text.trim() === '') throw new JsonError('empty input');
  // lossless-json is recursive: a deeply nested document would overflow the stack.
  if (isNestedDeeper(text, maxDepth)) throw new JsonError(`nested more than ${maxDepth} levels deep`);
  try {
    return parse(text);
  } catch (error) {
    throw toJsonError(error as Error, text);
  }
}

/** Strips the byte order mark that some editors write. */
export function stripByteOrderMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** Returns the value of one JSON document, or nothing if it is invalid. */
export function tryParseJson(source: Uint8Array | string): { readonly value: unknown } | undefined {
  try {
    return { value: parseJson(source) };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return undefined;
  }
}

/** Formats a value as JSON that is safe to show on a terminal. `LosslessNumber` and `bigint` keep their digits. */
export function formatJson(value: unknown, indent = 0): string {
  return escapeJson(stringify(value, undefined, indent) ?? 'null');
}

/** Escapes a JSON document for a terminal without changing its meaning. */
export function escapeJson(document: string): string {
  return escapeDocument(document, (code) => {
    const pair = String.fromCodePoint(code);
    return unicodeEscape(pair.charCodeAt(0)) + unicodeEscape(pair.charCodeAt(1));
  });
}

/** Functions that color the tokens of a JSON document. */
export interface JsonStyles {
  readonly key: (text: string) => string;
  readonly text: (text: string) => string;
  /** A number, `true`, `false` or `null`. */
  readonly literal: (text: string) => string;
}

const token = /("[^"\\]*(?:\\.[^"\\]*)*")(:?)|-?\d[\d.eE+-]*|true|false|null/g;

/** In UTF-16 units. In a longer line, a string could overflow the stack of the regular expression. */
const maxLineLength = 100_000;

/** Colors JSON without changing its text. No JSON string contains a line feed. */
export function highlightJson(json: string, styles: JsonStyles): string {
  const paint = (literal: string, string: string | undefined, colon: string) => {
    if (string === undefined) return styles.literal(literal);
    return colon === '' ? styles.text(string) : styles.key(string) + colon;
  };
  return json.replace(/.+/g, (line) => (line.length > maxLineLength ? line : line.replace(token, paint)));
}

/** Returns the original digits of a JSON number; `undefined` for any other value. */
export function formatExactNumber(value: unknown): string | undefined {
  if (isLosslessNumber(value)) return value.value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined;
}

/** Returns a JSON number with exactly these digits. */
export function toExactNumber(digits: string): unknown {
  return new LosslessNumber(digits);
}

/** Returns whether a value is a JSON object: not null, not an array, not a `LosslessNumber`. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new JsonError('invalid UTF-8');
  }
}

/** Returns whether JSON text is nested more than `max` levels deep. */
export function isNestedDeeper(text: string, max: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length && depth <= max; index += 1) {
    const char = text[index];
    if (char === '"') inString = !inString;
    else if (inString) index += char === '\\' ? 1 : 0;
    else if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth -= 1;
  }
  return depth > max;
}

function toJsonError({ message }: Error, text: string): JsonError {
  const position = Number(/position (\d+)$/.exec(message)?.[1]);
  if (message.startsWith('Duplicate key')) return new JsonError(`duplicate key at offset ${position}`);
  if (endsWithin.test(text.slice(position))) return new JsonError('unexpected end of input', true);
  return new JsonError(`syntax error at offset ${position}`);
}

/** The rest of a truncated document: nothing, or the start of an escape sequence or a literal. */
const endsWithin = /^(?:\\(?:u[0-9a-f]{0,3})?|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?)?\s*$/i;

/** Returns text unchanged, a number with its original digits, and anything else as JSON. */
export function toPlainText(value: unknown): string {
  return typeof value === 'string' ? value : (formatExactNumber(value) ?? formatJson(value));
}

/** Like `toPlainText`, but with `-` for a missing value, `yes` and `no`. May contain unsafe characters. */
export function toDisplayText(value: unknown): string {
  if (value === undefined || value === null || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return toPlainText(value);
}
