const inspect = Symbol.for('nodejs.util.inspect.custom');

/** An API key that cannot be printed by accident: only `reveal` gives it away. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  /** Enough to tell two keys apart, and never more than a quarter: `pets_…4f2a`. */
  masked(): string {
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

export interface Redactor {
  /** From now on this secret is taken out. */
  add(secret: Secret): void;
  /** The text without any known secret, in the forms it travels in, and without any bearer token. */
  redact(text: string): string;
}

/** Shorter text stands in too many words to be taken out of them. */
const shortest = 6;

/** The last guard before stderr; nothing should ever reach it. */
export function createRedactor(): Redactor {
  const forms: string[] = [];
  return {
    add: (secret) => {
      const key = secret.reveal();
      if (key.length < shortest) return;
      forms.push(key, encodeURIComponent(key), Buffer.from(key).toString('base64'));
      // The longest first, since one key may begin with another.
      forms.sort((a, b) => b.length - a.length);
    },
    redact: (text) =>
      withoutToken(
        forms.reduce(
          (clean, form) => withoutStart(clean.replaceAll(form, '[redacted]'), form),
          text,
        ),
      ),
  };
}

function withoutToken(text: string): string {
  // Most text has none, and to compile the pattern takes longer than to look.
  if (!text.toLowerCase().includes('bearer')) return text;
  return text.replace(/(bearer\s+)[A-Za-z0-9._~+/-]{8,}=*/gi, '$1[redacted]');
}

/** Text was cut where a `…` stands, perhaps in the middle of a secret. */
function withoutStart(text: string, form: string): string {
  const parts = text.split('…');
  const last = parts.pop() as string;
  return [...parts.map((part) => withoutEnd(part, form)), last].join('…');
}

function withoutEnd(part: string, form: string): string {
  for (let length = Math.min(form.length, part.length); length >= shortest; length -= 1) {
    if (part.endsWith(form.slice(0, length))) return `${part.slice(0, -length)}[redacted]`;
  }
  return part;
}
