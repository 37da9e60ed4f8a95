import type { Plan, PlanLimits } from '../api/plan.js';
import type { Quota } from '../api/rate-limit-headers.js';
import type { Column, CommandResult } from '../cli/command-result.js';
import type { Client } from '../client/client.js';
import type { Clock } from '../clock.js';
import type { BaseUrl } from '../config/base-url.js';
import type { Credentials } from '../config/credentials.js';
import type { Paths } from '../config/paths.js';
import type { Profiles } from '../config/profile.js';
import type { UserSettings } from '../config/resolve-settings.js';
import type { Secret } from '../config/secret.js';
import type { GlobalFlags, Settings } from '../config/settings.js';
import type { Failure, Hint } from '../failure.js';
import type { QuotaState } from '../quota/quota-state.js';
import type { FullScreen } from '../terminal/full-screen.js';
import type { ProgressBar, Spinner } from '../terminal/progress.js';
import type { Prompter } from '../terminal/prompter.js';
import type { Account } from './account.js';
import type { Files } from './files.js';
import type { Runtime } from './runtime.js';
import type { ServerControl } from './server-control.js';

/** Everything that one command can use. Members that are slow to open are opened on first use. */
export interface AppContext {
  readonly runtime: Runtime;
  readonly clock: Clock;
  /** Aborted with a `Failure` (canceled) when the user or the system ends the command. */
  readonly signal: AbortSignal;
  readonly flags: GlobalFlags;
  /** The fields that the command prints, as it declares them; none if the service determines them. */
  readonly columns: readonly Column[];
  /** The settings in effect. */
  readonly settings: Settings;
  readonly config: UserConfig;
  readonly terminal: CommandTerminal;
  readonly quota: QuotaAccess;
  readonly server: ServerControl;
  readonly connections: Connections;
  /** Returns the client for the service that settings, profile and credentials select. */
  client(): Promise<Client>;
  /** Opens the files that the command reads and writes. */
  files(): Promise<Files>;
  /** Opens the data behind the sandbox profile. */
  sandbox(): Promise<SandboxData>;
  /** Examines this machine. */
  machine(): Promise<Machine>;
  /** Prints a result. Then throws `failure`, if there is one: a command may fail although it has a result. */
  print(result: CommandResult, failure?: Failure): Promise<void>;
  /** Adds a cleanup that runs after the command. */
  onClose(close: () => Promise<void>): void;
  /** Runs every cleanup, even if one fails; throws the first failure. */
  close(): Promise<void>;
}

/** The user's files: settings, profiles and API keys. */
export interface UserConfig {
  readonly paths: Paths;
  readonly store: UserSettings;
  readonly profiles: Profiles;
  readonly credentials: Credentials;
  /** Problems of the configuration that the command tolerates. */
  readonly problems: readonly Failure[];
  /** True if a broken file may name another profile than the settings. */
  readonly isProfileUnknown: boolean;
  /** Warnings of misspelled environment variables. Printed already, unless the action has `printsWarnings`. */
  readonly warnings: readonly string[];
  /** The name of the environment variable that sets the API key, if any. */
  readonly keyVariable: string | undefined;
  /** Finds where requests would go and with which API key; sends nothing. */
  account(): Promise<Account>;
  /** Parses a base URL; throws a usage error if it cannot be used. */
  parseBaseUrl(text: string): BaseUrl;
  /** Parses an API key that came from `source`; throws if it does not have the shape of one. */
  parseApiKey(text: string, source: string): Secret;
}

/** The terminal of a command, for everything except its result. */
export interface CommandTerminal {
  readonly prompts: Prompter;
  openScreen(): Promise<FullScreen>;
  /** Opens a progress bar on stderr; it draws nothing if stderr cannot be redrawn. */
  progressBar(total: number): Promise<ProgressBar>;
  /**
   * Shows a line that is redrawn every second, unless `--quiet` or `--verbose`; waits for the quota appear in it. Only
   * one progress may be shown at a time.
   */
  startProgress(text: () => string): Spinner;
  /** True if progress is shown in a line that is redrawn. */
  readonly hasProgress: boolean;
  /** Adds a wait to the progress; returns a function that removes it, or undefined if there is no line to redraw. */
  showWait(text: () => string): (() => Promise<void>) | undefined;
  /** Prints one line on stderr, unless `--quiet`; escapes control characters. */
  notice(text: Hint): void;
  /** Prints a success message on stderr after a check mark, unless `--quiet`. */
  success(text: Hint): void;
  /** Prints a warning on stderr after an exclamation mark, unless `--quiet`. */
  warn(text: Hint): void;
  /** Prints a failure that does not end the command on stderr after a cross, even with `--quiet`. */
  fail(text: Hint): void;
  /** Prints one line of an error on stderr, even with `--quiet`. */
  errorLine(text: Hint): void;
  /** Removes API keys from text that a service sent. */
  redact(text: string): string;
  /** Reads a file, or standard input for `-`; throws a usage error past `maxBytes`, with the hint if there is one. */
  readInput(path: string, maxBytes: number, tooLargeHint?: string): Promise<Uint8Array>;
}

/** The connections of one command to a service, each opened on first use. */
export interface Connections {
  /** Returns the client for one request after another. */
  client(): Promise<Client>;
  /** Opens a connection for many requests. Signals end the command gracefully until it is closed. */
  open(options: ConnectionOptions): Promise<Connection>;
  /** Opens a connection to a base URL with an API key that is not stored yet. */
  clientAt(baseUrl: BaseUrl, key: Secret, profile: string): Promise<Client>;
  /** Returns the service that was reached last, and its last known rate-limit information. */
  getReportedQuota(): Promise<{ readonly label: string; readonly quota: Quota } | undefined>;
  /** Throws a usage error if no data can be changed. Call it before a command that changes data reads or prompts. */
  checkWriteAllowed(): Promise<void>;
  /** Omits the line about the quota after the command. */
  hideQuota(): void;
  /** Resolves once the rate-limit information of all responses is saved. */
  flushQuota(): Promise<void>;
  /** Throws the abort reason if a signal arrived while the quota state was saved. */
  throwIfAborted(): void;
}

export interface ConnectionOptions {
  /** Set for an import, which sends several requests at once. */
  readonly isImport?: true;
  /** Set if a signal is the normal end of the command. */
  readonly endsOnSignal?: true;
  /** Called when a request waits, with the end of the wait and its reason. The returned function is called when it ends. */
  readonly onWait?: (until: number, reason: string) => () => void;
  /** Receives warnings and the trace instead of stderr. */
  readonly onDiagnostic?: (text: string) => void;
  /** Cancels requests but not the command; aborted with a `Failure`. */
  readonly signal?: AbortSignal;
}

/** A connection to one service with one API key. */
export interface Connection {
  readonly client: Client;
  /** The service's name in messages about the quota. */
  readonly label: string;
  /** A digest of origin and API key. */
  readonly account: string;
  /** Returns the id of the data in the sandbox, which changes with each reset; undefined for other services. */
  dataId(): string | undefined;
  /** Returns the quota that the service reported last. */
  reportedQuota(): Quota | undefined;
  /** Returns the quota state, which other processes update too. */
  quotaState(): Promise<QuotaState>;
}

/** The quota state of the account in use, outside of requests. */
export interface QuotaAccess {
  /** Returns the state; empty if no request could be sent. */
  lastSeen(): Promise<QuotaState>;
  /** Deletes the state. */
  reset(): Promise<void>;
  /** Checks whether the Redis of the quota store responds; undefined if the store is a file. */
  checkStore(): Promise<QuotaStoreHealth | undefined>;
}

/** The result of checking the server of a quota store. */
export interface QuotaStoreHealth {
  /** The URL without username and password. */
  readonly endpoint: string;
  readonly responseMs?: number;
  /** Why the server cannot be used. */
  readonly problem?: string;
}

export interface SandboxData {
  readonly path: string;
  readonly pets: number;
  readonly limits: PlanLimits;
  /** Sets the limits of a plan; keeps the pets. */
  setPlan(plan: Plan): Promise<void>;
  /** Replaces all pets with sample pets and resets the quota. Without a plan, the limits stay. */
  reset(sampleCount: number, plan?: Plan): Promise<void>;
}

export interface Machine {
  readonly nodeVersion: string;
  /** Whether SQLite works, and if not, the reason. */
  readonly sqlite: { readonly works: boolean; readonly reason?: string };
  /** Files and directories that others may read or write, that belong to someone else, or that this user cannot write. */
  readonly pathProblems: readonly PathProblem[];
}

export interface PathProblem {
  readonly path: string;
  readonly why: string;
  readonly fix: string;
}
