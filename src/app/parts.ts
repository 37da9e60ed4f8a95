import type { Settings } from '../config/settings.js';
import type { CommandTerminal } from './command-terminal.js';
import type { Configuration } from './configuration.js';
import type { Runtime } from './runtime.js';

/** The parts that a command opens first, each with those before it. */
export interface Parts {
  readonly runtime: Runtime;
  readonly settings: Settings;
  /** For everything except the result. */
  readonly terminal: CommandTerminal;
  readonly config: Configuration;
  /** Registers what the end of the command closes. */
  readonly onClose: (close: () => Promise<void>) => void;
}
