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

export function createRedactor() {
  const forms: string[] = [];
  return {
    add: (secret: Secret) => {
      const value = secret.reveal();
      if (value.length < minLength) return;
      forms.push(value, encodeURIComponent(value), Buffer.from(value).toString('base64'));
      // Longest first, since one secret may be the start of another.
      forms.sort((a, b) => b.length - a.length);
    },
    /** Removes the known secrets (plain, URL-encoded and in Base64), what has the form of an API key, and bearer tokens. */
    redact: (text: string) =>
      forms
        .reduce((clean, form) => redactTruncated(clean.replaceAll(form, '[redacted]'), form), text)
        .replace(/\bpets_[0-9a-z]{50}(?![0-9a-z])/gi, '[redacted]')
        .replace(/(bearer\s+)[A-Za-z0-9._~+/-]{8,}=*/gi, '$1[redacted]'),
  };
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
