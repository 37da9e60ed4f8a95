/** Error for bytes that are neither UTF-8 nor UTF-16. */
export class EncodingError extends Error {
  override readonly name = 'EncodingError';
}

/**
 * Decodes UTF-8, or UTF-16 (which some spreadsheets write) if there is a byte order mark. Throws an `EncodingError` at
 * the first invalid byte.
 */
export async function* decodeText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  const decode = (bytes: Uint8Array, stream: boolean) => {
    decoder ??= new TextDecoder(detectEncoding(bytes), { fatal: true });
    try {
      return decoder.decode(bytes, { stream });
    } catch {
      throw new EncodingError('not UTF-8 or UTF-16 text');
    }
  };
  let pending = new Uint8Array();
  for await (const chunk of chunks) {
    pending = Buffer.concat([pending, chunk]);
    if (!decoder && pending.length < 2) continue;
    const text = decode(pending, true);
    pending = new Uint8Array();
    if (text !== '') yield text;
  }
  const text = decode(pending, false);
  if (text !== '') yield text;
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
