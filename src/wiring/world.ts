import type { Clock } from '../contract/clock.js';
import type { Environment } from '../local/environment.js';
import type { Holder } from '../local/lock.js';
import type { Paths } from '../local/paths.js';
import type { Credentials } from '../ports/credentials.js';
import type { Settings } from '../ports/settings.js';
import type { Terminal } from '../ports/terminal.js';
import type { Redactor } from '../terminal/redact.js';
import type { Signals } from '../terminal/signals.js';

/** The process that a session is opened in. */
export interface World extends Signals {
  readonly env: Environment;
  /** Missing where the system knows none. */
  readonly home: string | undefined;
  readonly platform: string;
  readonly clock: Clock;
  /** A number from 0 up to 1. */
  readonly random: () => number;
  readonly holder: Holder;
  /** `undefined` on Windows. */
  readonly userId: number | undefined;
  readonly nodeVersion: string;
  /** Of petstore itself. */
  readonly version: string;
  readonly terminal: Terminal;
  readonly redactor: Redactor;
  /** Goes on where the configuration cannot be used. */
  readonly tolerant?: boolean;
}

/** What is open around a command, for what it asks for. */
export interface Surroundings {
  readonly world: World;
  readonly paths: Paths;
  readonly settings: Settings;
  readonly credentials: Credentials;
  readonly say: (text: string) => void;
  readonly warning: (text: string) => void;
  /** Warns that the quota is not shared, once in a run. */
  readonly tellAway: (text: string) => void;
}
