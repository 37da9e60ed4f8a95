import type { Limits, Plan } from '../api/plan.js';
import type { Column } from '../cli/command-result.js';
import type { Bulk, BulkOptions, Client, Live, LiveOptions } from '../client/client-types.js';
import type { Clock } from '../clock.js';
import type { BaseUrl } from '../config/base-url.js';
import type { Credentials } from '../config/credentials.js';
import type { Profiles } from '../config/profiles.js';
import type { Secret } from '../config/secret.js';
import type { GlobalFlags, Settings, UserSettings } from '../config/settings.js';
import type { Failure } from '../failure.js';
import type { LedgerEntry, LedgerState } from '../quota/ledger.js';
import type { FullScreen } from '../terminal/full-screen.js';
import type { ProgressBar } from '../terminal/progress.js';
import type { Prompter } from '../terminal/prompter.js';
import type { Account } from './account.js';
import type { Files } from './files.js';
import type { Served, ServedKeys, ServedKeysOptions, ServeOptions } from './serve-types.js';

/** Everything that a command may ask of the world. */
export interface Context {
  readonly clock: Clock;
  /** Aborted with a `Failure` (canceled) when the user or the system ends the command. */
  readonly signal: AbortSignal;
  readonly flags: GlobalFlags;
  readonly settings: Settings;
  /** What is wrong with the configuration, where the command runs all the same. */
  readonly problems: readonly Failure[];
  readonly profiles: Profiles;
  readonly config: UserSettings;
  readonly credentials: Credentials;
  /** The bytes of a file, or of standard input for `-`; fails (usage) past `limit` bytes. */
  readInput(path: string, limit: number): Promise<Uint8Array>;
  readonly ask: Prompter;
  /** The whole terminal, for a command that draws on it. */
  screen(): Promise<FullScreen>;
  /** One line on stderr, kept back by `--quiet`. Text from outside is escaped. */
  notice(text: string): void;
  warning(text: string): void;
  /** Text that a service sent, without any key that it repeats: for a result, as stderr is without. */
  redact(text: string): string;
  /** Fails (usage) where `--fields` names none of these; to be asked before anything is sent. */
  checkFields(columns: readonly Column[]): void;
  /** The variable that gives a key, where one does. */
  readonly environmentKey: string | undefined;
  /** Where requests would go and with which key, as far as that is known; sends nothing. */
  account(): Promise<Account>;
  /** What a service last said of this account's quota, as the ledger has it. */
  lastQuota(): Promise<LedgerEntry | undefined>;
  /** Whether the Redis that holds the ledger answers; nothing where the ledger is on this machine. */
  ledger(): Promise<LedgerState | undefined>;
  /** The data behind the sandbox profile. */
  sandbox(): Promise<SandboxData>;
  /** What this machine offers petstore. */
  machine(): Promise<Machine>;
  /** The service that settings, profile and credentials lead to. */
  client(): Promise<Client>;
  /** The same for many requests in a row. */
  bulk(options: BulkOptions): Promise<Bulk>;
  /** The same for a command that runs until it is ended, and tells of waits by itself. */
  live(options: LiveOptions): Promise<Live>;
  /** The files that the command was told to read and write. */
  files(): Promise<Files>;
  /** A bar on stderr, where one can be drawn. */
  bar(total: number): Promise<ProgressBar>;
  /** The service at a base URL with a key that is not stored yet. */
  clientAt(baseUrl: BaseUrl, key: Secret, profile: string): Promise<Client>;
  /** Takes a base URL apart; fails (usage) on one that cannot be used. */
  parseBaseUrl(text: string): BaseUrl;
  /** Checks an API key as it came from `source`; fails where it has not the shape of one. */
  parseKey(text: string, source: string): Secret;
  /** Runs the service itself until the command is ended. */
  serve(options: ServeOptions): Promise<Served>;
  /** The keys that the database of a service knows. */
  servedKeys(options: ServedKeysOptions): Promise<ServedKeys>;
}

export interface SandboxData {
  readonly path: string;
  readonly pets: number;
  readonly limits: Limits;
  /** Gives its key the limits of a plan, and keeps its pets. */
  setPlan(plan: Plan): Promise<void>;
  /** Puts the sample animals back, or none, and starts its quota anew. */
  reset(options: { readonly empty: boolean; readonly plan?: Plan }): Promise<void>;
}

export interface Machine {
  readonly nodeVersion: string;
  /** Whether SQLite can be had, and why not. */
  readonly sqlite: { readonly works: boolean; readonly reason?: string };
  /** Files and directories that others may read or write, or that belong to someone else. */
  readonly exposed: readonly { readonly path: string; readonly why: string }[];
}
