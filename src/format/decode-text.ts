/** Why bytes are not text. */
export class EncodingError extends Error {
  override readonly name = 'EncodingError';
}

/**
 * Bytes as text: UTF-8, or UTF-16 where a byte order mark says so, as some spreadsheets write it. Throws an
 * `EncodingError` at the first byte that is neither.
 */
export async function* decodeText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let head: Uint8Array = new Uint8Array();
  const decode = (bytes?: Uint8Array) => {
    try {
      return decoder?.decode(bytes, { stream: bytes !== undefined }) ?? '';
    } catch {
      throw new EncodingError('it is neither UTF-8 nor UTF-16');
    }
  };
  for await (const chunk of chunks) {
    let bytes = chunk;
    if (!decoder) {
      bytes = joined(head, chunk);
      head = bytes;
      if (bytes.length < 2) continue;
      decoder = new TextDecoder(encodingOf(bytes), { fatal: true });
    }
    const text = decode(bytes);
    if (text !== '') yield text;
  }
  let text = '';
  if (!decoder) {
    decoder = new TextDecoder('utf-8', { fatal: true });
    text = decode(head);
  }
  text += decode();
  if (text !== '') yield text;
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(head.length + tail.length);
  bytes.set(head);
  bytes.set(tail, head.length);
  return bytes;
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/** What percent-encoded UTF-8 (RFC 3986 §2.1) stands for; nothing where the text is none. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
