import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json';
import { escapeDocument, unicodeEscape } from './safe-text.js';

/** Why text is not JSON that petstore reads. Its message never quotes the text. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly reason: 'empty' | 'encoding' | 'truncated' | 'malformed' | 'duplicate-key' | 'too-deep';
  /** UTF-16 units before the place; `undefined` where no place can be told. */
  readonly offset: number | undefined;

  constructor(reason: JsonError['reason'], message: string, offset?: number) {
    super(message);
    this.reason = reason;
    this.offset = offset;
  }
}

const maxDepth = 64;

/**
 * Reads one JSON document (RFC 8259): numbers keep their digits (as a `number` that is written so, else as a
 * `LosslessNumber`), a byte order mark is taken off, different values under one key and more than 64 levels are refused.
 * Throws `JsonError`.
 */
export function parseJson(source: Uint8Array | string): unknown {
  const text = typeof source === 'string' ? stripByteOrderMark(source) : decodeUtf8(source);
  if (text.trim() === '') throw new JsonError('empty', 'it is empty');
  checkDepth(text);
  try {
    // JSON has no `undefined`, and a `null` is read twice.
    return parseExact(text) ?? parse(text);
  } catch (error) {
    throw toJsonError(error as Error, text);
  }
}

/** A text without the byte order mark that some editors begin a file with. */
export function stripByteOrderMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** The value of one JSON document, or nothing where it is none that petstore reads. */
export function tryParseJson(source: Uint8Array | string): { readonly value: unknown } | undefined {
  try {
    return { value: parseJson(source) };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return undefined;
  }
}

/** Writes a value as JSON, `LosslessNumber` and `bigint` digit by digit, safe to show on a terminal. */
export function formatJson(value: unknown, indent = 0): string {
  return escapeJson(stringify(value, undefined, indent) ?? 'null');
}

/** A JSON document that is safe to show on a terminal, and means the same. */
export function escapeJson(document: string): string {
  return escapeDocument(document, (code) => {
    const pair = String.fromCodePoint(code);
    return unicodeEscape(pair.charCodeAt(0)) + unicodeEscape(pair.charCodeAt(1));
  });
}

/** The decimal text of a JSON number as it was written; `undefined` for anything else. */
export function formatExactNumber(value: unknown): string | undefined {
  if (isLosslessNumber(value)) return value.value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined;
}

/** A JSON number that is written with exactly these digits. */
export function toExactNumber(digits: string): unknown {
  return new LosslessNumber(digits);
}

/** True for a JSON object: not null, not a list, not a number that kept its digits. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value)
  );
}

/**
 * The value of a document that JSON.stringify writes again letter by letter, and so one of which JSON.parse has lost
 * nothing: no digit, no key that came twice. Most answers are such, and lossless-json takes many times as long.
 */
function parseExact(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new JsonError('encoding', 'it is not UTF-8');
  }
}

/** lossless-json reads nested values by recursion, and a hostile document would overflow the stack. */
function checkDepth(text: string): void {
  // A document with no more openings cannot be deeper, and most are such.
  const openings = (bracket: string) => text.split(bracket, maxDepth + 2).length - 1;
  if (openings('[') + openings('{') <= maxDepth) return;
  let depth = 0;
  let inString = false;
  for (const { 0: token, index } of text.matchAll(/\\.|["[\]{}]/gs)) {
    if (token === '"') inString = !inString;
    else if (inString || token.startsWith('\\')) continue;
    else depth += token === '[' || token === '{' ? 1 : -1;
    if (depth > maxDepth) {
      throw new JsonError(
        'too-deep',
        `it is nested too deeply (more than ${maxDepth} levels)`,
        index,
      );
    }
  }
}

function toJsonError({ message }: Error, text: string): JsonError {
  const position = /position (\d+)$/.exec(message)?.[1];
  const offset = position === undefined ? undefined : Number(position);
  if (message.startsWith('Duplicate key')) {
    return new JsonError('duplicate-key', `a key comes twice (at offset ${position})`, offset);
  }
  if (offset !== undefined && endsWithin.test(text.slice(offset))) {
    return new JsonError('truncated', 'it ends too early', offset);
  }
  return new JsonError('malformed', `it is not valid JSON (at offset ${position})`, offset);
}

/** What may be left of a document that was cut off: nothing, or the start of an escape or a word. */
const endsWithin = /^(?:\\(?:u[0-9a-f]{0,3})?|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?)?\s*$/i;
