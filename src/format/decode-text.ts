import { isUtf8 } from 'node:buffer';

/**
 * Returns UTF-8 without a byte order mark; converts UTF-16, which some spreadsheets write, if there is a byte order mark.
 * Returns nothing for anything else.
 */
export function decodeText(bytes: Uint8Array): Uint8Array | undefined {
  const utf8 = toUtf8(bytes);
  if (!isUtf8(utf8)) return undefined;
  return utf8[0] === 0xef && utf8[1] === 0xbb && utf8[2] === 0xbf ? utf8.subarray(3) : utf8;
}

/** Converts UTF-16 with a byte order mark to UTF-8. Returns other bytes unchanged. */
export function toUtf8(bytes: Uint8Array): Uint8Array {
  const mark = `${bytes[0]} ${bytes[1]}`;
  const encoding = mark === '255 254' ? 'utf-16le' : mark === '254 255' ? 'utf-16be' : undefined;
  return encoding ? new TextEncoder().encode(new TextDecoder(encoding).decode(bytes)) : bytes;
}

/** Decodes percent-encoded UTF-8 (RFC 3986 §2.1). Returns nothing if the text is invalid. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
