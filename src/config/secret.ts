import { closeSync, openSync, readSync } from 'node:fs';
import { Failure, usageError } from '../failure.js';

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
    /** Removes the known secrets (plain, URL-encoded and in Base64) and every bearer token. */
    redact: (text: string) =>
      forms
        .reduce((clean, form) => redactTruncated(clean.replaceAll(form, '[redacted]'), form), text)
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

/**
 * Returns the API key in a text that was typed, pasted or piped, without surrounding white space. Throws unless
 * it is a bearer token (RFC 6750 §2.1). The message names `source` and never contains the text.
 */
export function parseApiKey(text: string, source: string): Secret {
  const key = text.trim();
  if (key === '') {
    throw new Failure('auth', { code: 'no_key', message: `${source} holds no API key` });
  }
  if (key.length <= 1_000 && /^[A-Za-z0-9._~+/-]+=*$/.test(key)) return new Secret(key);
  if (/^bearer\s/i.test(key)) {
    const message = `${source} starts with "Bearer"`;
    throw usageError('invalid_key', message, 'give the API key alone, without "Bearer"');
  }
  throw usageError(
    'invalid_key',
    `${source} is no API key: it must be 1 to 1000 letters, digits and -._~+/ in one line`,
    'copy the key again, without anything around it',
  );
}

/** Returns the API key in a file; `source` names the flag or variable with the path. */
export function readApiKeyFile(path: string, source: string): Secret {
  let text: string;
  try {
    text = readStart(path);
  } catch (error) {
    throw usageError(
      'unreadable_key_file',
      `the file of ${source} cannot be read (${(error as NodeJS.ErrnoException).code})`,
      'check its path and its permissions',
    );
  }
  return parseApiKey(text, `the file of ${source}`);
}

/** Reads at most 4,097 bytes, more than any API key: the path may be an endless device. */
function readStart(path: string): string {
  const buffer = Buffer.alloc(4_097);
  const file = openSync(path, 'r');
  try {
    let length = 0;
    while (length < buffer.length) {
      const bytesRead = readSync(file, buffer, length, buffer.length - length, null);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.toString('utf8', 0, length);
  } finally {
    closeSync(file);
  }
}
