import type { Clock } from '../clock.js';
import type { Credentials } from '../config/credentials.js';
import type { Environment } from '../config/environment.js';
import type { LockOwner } from '../config/lock.js';
import type { Paths } from '../config/paths.js';
import type { Redactor } from '../config/secret.js';
import type { Settings } from '../config/settings.js';
import type { Signals } from '../terminal/signals.js';
import type { Terminal } from '../terminal/terminal.js';

/** The process that a session is opened in. */
export interface World extends Signals {
  readonly env: Environment;
  /** Missing where the system knows none. */
  readonly home: string | undefined;
  readonly platform: string;
  readonly clock: Clock;
  /** A number from 0 up to 1. */
  readonly random: () => number;
  readonly lockOwner: LockOwner;
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
