import type { Clock } from '../contract/clock.js';
import type { Fault } from '../contract/fault.js';
import type { Limits, Plan } from '../contract/plan.js';
import type { Quota } from '../contract/quota.js';
import type { RedisAddress } from '../contract/redis-address.js';
import type { Ask } from './ask.js';
import type { Client } from './client.js';
import type { Credentials } from './credentials.js';
import type { Failure } from './failure.js';
import type { Files } from './files.js';
import type { LedgerEntry } from './ledger.js';
import type { Screen } from './screen.js';
import type { Secret } from './secret.js';
import type { BaseUrl, Config, GlobalFlags, Profiles, Settings } from './settings.js';
import type { Bar } from './terminal.js';
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
  /** The whole terminal, for a command that draws on it. */
  screen(): Promise<Screen>;
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
  bar(total: number): Promise<Bar>;
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

export interface LedgerState {
  /** Its address, without user and password. */
  readonly place: string;
  /** Milliseconds until it answered. */
  readonly answeredIn?: number;
  /** Why it cannot be used. */
  readonly problem?: string;
}

interface BulkOptions {
  /** Told when the quota makes requests wait, and until when; what it returns is called when that is over. */
  readonly onWait: (until: number) => () => void;
}

export interface LiveOptions {
  /**
   * Told when a request waits, until when and what for (`for the quota of sandbox`); what it returns is called when
   * that is over.
   */
  readonly onWait: (until: number, what: string) => () => void;
  /** Told what would be a warning or a trace on stderr. */
  readonly tell?: (text: string) => void;
  /** Ends requests apart from the command; aborted with a `Failure`. */
  readonly signal?: AbortSignal;
  /** A signal of the system is how the command ends. */
  readonly endless?: true;
}

export interface Live {
  readonly client: Client;
  /** What the service is called in a line on the quota. */
  readonly label: string;
  /** What is known of the quota, by whatever process it was learnt. */
  quota(): Promise<LedgerEntry | undefined>;
}

export interface Bulk {
  readonly client: Client;
  /** Origin and key, digested. */
  readonly account: string;
  /** What the service last said of the quota. */
  readonly quota: () => Quota | undefined;
}

export interface Account {
  readonly profile: string;
  /** Missing for the sandbox, and where none is told yet. */
  readonly baseUrl?: string;
  readonly key?: Secret;
  /** Where the key comes from: `PETSTORE_API_KEY`, `the stored key of profile staging`. */
  readonly keySource?: string;
  /** Where the key is kept: a file, or `system keyring`. */
  readonly storage?: string;
  /** Why no request could be sent. */
  readonly problem?: Failure;
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

export interface ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly database?: string;
  readonly apiKeyFile?: string;
  readonly plan?: Plan;
  readonly perMinute?: number;
  readonly perDay?: number;
  readonly allowHost?: readonly string[];
  /** Milliseconds. */
  readonly latency?: number;
  readonly fault?: Faults;
  /** Answers `GET /metrics`, for Prometheus. */
  readonly metrics?: boolean;
  /** The Redis where requests are counted, if not in the database. */
  readonly meters?: RedisAddress;
  /** When the store is to live, in milliseconds since the Unix epoch: from there on its time passes. */
  readonly clock?: number;
}

/** Failures that the store is to make, and what they follow from. */
export interface Faults {
  readonly faults: readonly Fault[];
  readonly seed?: number;
}

export interface Served {
  readonly baseUrl: string;
  /** The key, where this start made one. */
  readonly apiKey?: Secret;
  /** The first characters of the key that the database knows. */
  readonly keyPrefix: string;
  /** What that key may send. */
  readonly limits: Limits;
  readonly database: string;
  /** Resolves when the service has ended: nothing in flight, the database closed. */
  readonly ended: Promise<void>;
  /** Ends it in order, whoever asks; the same promise each time. */
  end(): Promise<void>;
}

export interface ServedKeysOptions {
  readonly database?: string | undefined;
  /** The Redis where requests are counted, if not in the database. */
  readonly meters?: RedisAddress | undefined;
  /** Makes the database where there is none; else that fails (usage). */
  readonly make: boolean;
}

/** Works while the service runs on the same database. */
export interface ServedKeys {
  /** Where the database is. */
  readonly database: string;
  /** Makes a new key known; resolves to it, which nobody can tell again, and to its first characters. */
  create(options: {
    readonly plan: Plan;
    readonly limits: Limits;
    readonly label?: string | undefined;
  }): Promise<{ readonly key: Secret; readonly prefix: string }>;
  /** Every key, the first one first. */
  list(): Promise<readonly ServedKey[]>;
  /** True for a key in full that the database knows. */
  isKey(text: string): Promise<boolean>;
  /** Whoever uses it is unauthorized from now on. */
  revoke(key: ServedKey): Promise<void>;
}

export interface ServedKey {
  /** SHA-256 of the key, in hexadecimal digits. */
  readonly digest: string;
  /** The key's first characters. */
  readonly prefix: string;
  readonly plan: Plan;
  readonly limits: Limits;
  readonly label: string | undefined;
  /** In milliseconds since the Unix epoch, as every time here. */
  readonly createdAt: number;
  /** What is left of the window of a minute, and of a day. */
  readonly minute: Required<Quota>;
  readonly day: Required<Quota>;
  /** Missing where the key is not banned. */
  readonly bannedUntil: number | undefined;
}
