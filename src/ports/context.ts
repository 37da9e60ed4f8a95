import type { Clock } from '../contract/clock.js';
import type { Plan } from '../contract/plan.js';
import type { Ask } from './ask.js';
import type { Client } from './client.js';
import type { Credentials } from './credentials.js';
import type { Failure } from './failure.js';
import type { Secret } from './secret.js';
import type { BaseUrl, Config, GlobalFlags, Profiles, Settings } from './settings.js';
import type { Column } from './view.js';

/** Everything that a command may ask of the world. */
export interface Context {
  readonly clock: Clock;
  /** Aborted with a `Failure` (cancelled) when the user or the system ends the command. */
  readonly signal: AbortSignal;
  readonly flags: GlobalFlags;
  readonly settings: Settings;
  /** What is wrong with the configuration, where the command runs all the same. */
  readonly problems: readonly Failure[];
  readonly profiles: Profiles;
  readonly config: Config;
  readonly credentials: Credentials;
  /** The bytes of a file, or of standard input for `-`; fails (usage) past `limit` bytes. */
  readInput(path: string, limit: number): Promise<Uint8Array>;
  readonly ask: Ask;
  /** One line on stderr, kept back by `--quiet`. Text from outside is escaped. */
  notice(text: string): void;
  warning(text: string): void;
  /** Fails (usage) where `--fields` names none of these; to be asked before anything is sent. */
  checkFields(columns: readonly Column[]): void;
  /** The service that settings, profile and credentials lead to. */
  client(): Promise<Client>;
  /** The service at a base URL with a key that is not stored yet. */
  clientAt(baseUrl: BaseUrl, key: Secret): Promise<Client>;
  /** Takes a base URL apart; fails (usage) on one that cannot be used. */
  parseBaseUrl(text: string): BaseUrl;
  /** Checks an API key as it came from `source`; fails where it has not the shape of one. */
  parseKey(text: string, source: string): Secret;
  /** Runs the service itself until the command is ended. */
  serve(options: ServeOptions): Promise<Served>;
}

export interface ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly database?: string;
  readonly apiKeyFile?: string;
  readonly plan?: Plan;
  readonly perMinute?: number;
  readonly perDay?: number;
}

export interface Served {
  readonly baseUrl: string;
  /** The key, where this start made one. */
  readonly apiKey?: Secret;
  /** The first characters of the key that the database knows. */
  readonly keyPrefix: string;
  readonly database: string;
  /** Resolves when the service has ended: nothing in flight, the database closed. */
  readonly ended: Promise<void>;
  /** Ends it in order, whoever asks; the same promise each time. */
  end(): Promise<void>;
}
