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

  /** Enough to tell two keys apart: `pets_…4f2a`. A key under 16 characters shows nothing of itself. */
  masked(): string {
    return this.#value.length < 16 ? '…' : `${this.#value.slice(0, 5)}…${this.#value.slice(-4)}`;
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
