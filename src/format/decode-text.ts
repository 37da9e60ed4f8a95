import { isUtf8 } from 'node:buffer';

/** Error for bytes that are neither UTF-8 nor UTF-16. */
export class EncodingError extends Error {
  override readonly name = 'EncodingError';
}

/**
 * Returns UTF-8 without a byte order mark; converts UTF-16, which some spreadsheets write, if there is a byte order mark.
 * Throws an `EncodingError` for anything else.
 */
export function decodeText(bytes: Uint8Array): Uint8Array {
  const utf8 = toUtf8(bytes);
  if (!isUtf8(utf8)) throw new EncodingError('not UTF-8 or UTF-16 text');
  return utf8[0] === 0xef && utf8[1] === 0xbb && utf8[2] === 0xbf ? utf8.subarray(3) : utf8;
}

/** Converts UTF-16 with a byte order mark to UTF-8. Returns other bytes unchanged. */
export function toUtf8(bytes: Uint8Array): Uint8Array {
  const encoding = detectEncoding(bytes);
  return encoding === 'utf-8' ? bytes : new TextEncoder().encode(new TextDecoder(encoding).decode(bytes));
}

function detectEncoding([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/** Decodes percent-encoded UTF-8 (RFC 3986 §2.1). Returns nothing if the text is invalid. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
