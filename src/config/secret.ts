const inspect = Symbol.for('nodejs.util.inspect.custom');

/** A secret that cannot be printed by accident: only `reveal` returns it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  /** Returns enough to distinguish two secrets, at most 9 characters or a quarter: `pets_…4f2a`. */
  mask(): string {
    const shown = Math.min(9, Math.floor(this.#value.length / 4));
    const end = Math.floor(shown / 2);
    return `${this.#value.slice(0, shown - end)}…${end === 0 ? '' : this.#value.slice(-end)}`;
  }

  toString(): string {
    return '[redacted]';
  }

  toJSON(): string {
    return '[redacted]';
  }

  [inspect](): string {
    return '[redacted]';
  }
}

/** The last safeguard before stderr: removes secrets that should not be in the text in the first place. */
export type Redactor = ReturnType<typeof createRedactor>;

/** Shorter secrets occur in ordinary words. */
const minLength = 6;

/** One encoding of a secret. */
interface EncodedSecret {
  readonly text: string;
  /** Matches the text, and the adjacent characters that encode a part of the secret. */
  readonly pattern: RegExp;
}

export function createRedactor() {
  const values = new Set<string>();
  let forms: readonly EncodedSecret[] | undefined;
  return {
    add: (secret: Secret) => {
      const value = secret.reveal();
      if (value.length < minLength) return;
      values.add(value);
      forms = undefined;
    },
    /** Keeps a short word in texts: it was entered as an API key, and rejected. It may be the name of a profile. */
    allowWord: (secret: Secret) => {
      const word = secret.reveal();
      if (!/^[a-z0-9-]{1,15}$/i.test(word)) return;
      values.delete(word);
      forms = undefined;
    },
    /**
     * Removes the known secrets (plain, percent-encoded, in Base64 and in hexadecimal), what has the form of an API key, and
     * bearer tokens.
     */
    redact: (text: string) => {
      // Encoding a secret takes 1 % of `pets list`, and a status line contains none.
      const isSuspect = [...values].some((value) => text.includes(value) || hasLongWord(text, value.length));
      // Longest first, since one secret may be the start of another.
      if (isSuspect) forms ??= [...values].flatMap(encodeSecret).sort((a, b) => b.text.length - a.text.length);
      return (isSuspect && forms ? forms : [])
        .reduce((clean, form) => redactTruncated(clean.replace(form.pattern, '[redacted]'), form.text), text)
        .replace(/\bpets_[0-9a-z]{50}(?![0-9a-z])/gi, '[redacted]')
        .replace(/(bearer\s+)[A-Za-z0-9._~+/-]{8,}=*/gi, '$1[redacted]');
    },
  };
}

/** Returns whether a word has this length or is truncated. No encoding is shorter than the secret or has white space. */
function hasLongWord(text: string, length: number): boolean {
  if (text.length < length && !text.includes('…')) return false;
  return text.split(/\s/).some((word) => word.length >= length || word.includes('…'));
}

function encodeSecret(value: string): readonly EncodedSecret[] {
  const hex = Buffer.from(value).toString('hex');
  const percentEncoded = [encodeURIComponent(value), hex.replace(/../g, '%$&')];
  const lowercased = percentEncoded.map((text) => text.replace(/%../g, (byte) => byte.toLowerCase()));
  const uppercased = percentEncoded.map((text) => text.replace(/%../g, (byte) => byte.toUpperCase()));
  const texts = new Set([value, ...lowercased, ...uppercased, hex, hex.toUpperCase()]);
  return [
    ...[...texts].map((text) => ({ text, pattern: new RegExp(escapePattern(text), 'g') })),
    ...[0, 1, 2].flatMap((offset) => encodeBase64(value, offset)),
  ];
}

/**
 * Returns the secret in Base64 and base64url (RFC 4648) after a number of other bytes modulo 3, such as those of
 * `Bearer `. Neighbors of the secret change the first and the last character that encode a part of it.
 */
function encodeBase64(value: string, offset: number): readonly EncodedSecret[] {
  const bytes = Buffer.from(`${' '.repeat(offset)}${value}`);
  const start = Math.ceil((offset * 8) / 6);
  const end = Math.floor((bytes.length * 8) / 6);
  const first = offset > 0 ? '[\\w+/-]?' : '';
  const last = bytes.length % 3 > 0 ? '[\\w+/-]?={0,2}' : '';
  const texts = new Set([bytes.toString('base64'), bytes.toString('base64url')].map((text) => text.slice(start, end)));
  return [...texts].map((text) => ({ text, pattern: new RegExp(`${first}${escapePattern(text)}${last}`, 'g') }));
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/** Removes the start of a secret before a `…`, which may have truncated it. */
function redactTruncated(text: string, form: string): string {
  const parts = text.split('…');
  const last = parts.pop() as string;
  return [...parts.map((part) => redactEnd(part, form)), last].join('…');
}

function redactEnd(part: string, form: string): string {
  for (let length = Math.min(form.length, part.length); length >= minLength; length -= 1) {
    if (part.endsWith(form.slice(0, length))) return `${part.slice(0, -length)}[redacted]`;
  }
  return part;
}
