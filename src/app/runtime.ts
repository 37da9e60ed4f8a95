import type { Clock } from '../clock.js';
import type { Environment } from '../config/environment.js';
import type { Redactor } from '../config/secret.js';
import type { Signals } from '../terminal/signals.js';
import type { Terminal } from '../terminal/terminal.js';

/** The process that petstore runs in, as `main.ts` reads it and tests replace it. */
export interface Runtime extends Signals {
  readonly env: Environment;
  /** The home directory; `/` if the system knows none. */
  readonly home: string;
  readonly platform: string;
  readonly clock: Clock;
  /** Returns a number from 0 up to 1. */
  readonly random: () => number;
  readonly createUuid: () => string;
  /** Undefined on Windows. */
  readonly userId: number | undefined;
  readonly nodeVersion: string;
  /** The version of petstore. */
  readonly version: string;
  /** The directory of petstore's package, which has `bin/`, `dist/` and `man/`. */
  readonly packageDirectory: string;
  readonly terminal: Terminal;
  readonly redactor: Redactor;
}
