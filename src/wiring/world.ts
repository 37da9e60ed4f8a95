import type { Clock } from '../contract/clock.js';
import type { Holder } from '../local/lock.js';
import type { Environment } from '../local/settings.js';
import type { Terminal } from '../ports/terminal.js';
import type { Redactor } from '../terminal/redact.js';

/** The process that a session is opened in. */
export interface World {
  readonly env: Environment;
  readonly home: string;
  readonly platform: string;
  readonly clock: Clock;
  readonly holder: Holder;
  /** `undefined` on Windows. */
  readonly userId: number | undefined;
  readonly nodeVersion: string;
  /** Of petstore itself. */
  readonly version: string;
  readonly terminal: Terminal;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
  /** Goes on where the configuration cannot be used. */
  readonly tolerant?: boolean;
}
