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
  let secrets: readonly string[] = [];
  return {
    add: (secret: Secret) => {
      const value = secret.reveal();
      // Longest first, since one secret may be the start of another.
      if (value.length >= minLength) secrets = [...secrets, value].sort((a, b) => b.length - a.length);
    },
    /** Removes the known secrets and bearer tokens. */
    redact: (text: string) =>
      secrets.reduce(redactSecret, text).replace(/(bearer\s+)[A-Za-z0-9._~+/-]{8,}=*/gi, '$1[redacted]'),
  };
}

/** Removes a secret, also its start before a `…`, which may have truncated it. */
function redactSecret(text: string, secret: string): string {
  let clean = text.replaceAll(secret, '[redacted]');
  for (let length = secret.length - 1; length >= minLength && clean.includes('…'); length -= 1) {
    clean = clean.replaceAll(`${secret.slice(0, length)}…`, '[redacted]…');
  }
  return clean;
}
