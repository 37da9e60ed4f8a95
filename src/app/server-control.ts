import type { Plan, PlanLimits } from '../api/plan.js';
import type { Secret } from '../config/secret.js';
import type { ApiKeyChanges, ApiKeyDetails } from '../server/change-api-keys.js';
import type { Fault } from '../server/fault-injection.js';
import type { ApiKeyStatus } from '../server/list-api-keys.js';

/** Runs servers and manages their API keys. */
export interface ServerControl {
  /** Runs the server until a signal ends the command. */
  start(options: ServeOptions): Promise<StartedServer>;
  /** Opens the API keys in a server's database. */
  openKeys(options: ServerKeysOptions): Promise<ServerKeys>;
}

/** The database of a server. */
export interface DatabaseOptions {
  /** A file (default: one in the data directory), `:memory:`, or a PostgreSQL URL. */
  readonly database?: string | undefined;
}

export const logFormats = ['text', 'json', 'none'] as const;

export type LogFormat = (typeof logFormats)[number];

export interface ServeOptions extends DatabaseOptions {
  readonly port: number;
  readonly host: string;
  readonly apiKeyFile?: string;
  readonly plan?: Plan;
  readonly perMinute?: number;
  readonly perDay?: number;
  readonly allowHost?: readonly string[];
  /** Added to each response, in milliseconds. */
  readonly latency?: number;
  readonly fault?: FaultInjection;
  /** Format of the log on stderr. */
  readonly log: LogFormat;
  /** Networks of reverse proxies, such as `10.0.0.0/8`. */
  readonly trustProxy?: readonly string[];
  /** How long to serve after a signal, in milliseconds. */
  readonly drain: number;
  /** Serves metrics for Prometheus on this port. */
  readonly metricsPort?: number;
  /** The simulated start time, in milliseconds since the Unix epoch. */
  readonly clock?: number;
}

/** Faults to inject, and the seed of their random numbers. */
export interface FaultInjection {
  readonly faults: readonly Fault[];
  readonly seed?: number;
}

export interface StartedServer {
  readonly baseUrl: string;
  /** URL of the metrics, if there are any. */
  readonly metricsUrl?: string;
  /** The API key, if this start created one. */
  readonly apiKey?: Secret;
  /** Confirms that this API key was printed. Otherwise, it is deleted when the server closes. */
  confirmKey(): void;
  /** The first characters of the API key in the database. */
  readonly keyPrefix: string;
  /** The limits of that key. */
  readonly limits: PlanLimits;
  readonly database: string;
  /** Resolves after shutdown: no request in flight, the database closed. */
  readonly ended: Promise<void>;
  /** Shuts down gracefully; returns the same promise each time. */
  close(): Promise<void>;
}

export interface ServerKeysOptions extends DatabaseOptions {
  /** Creates a missing database; otherwise that is a usage error. */
  readonly create: boolean;
}

/** The API keys in a database, also while a server runs on it. */
export interface ServerKeys {
  /** The path or URL of the database, without its password. */
  readonly database: string;
  /** Generates an API key that is not valid before it is saved. Throws a usage error if the label is taken. */
  create(details: ApiKeyDetails): Promise<NewServerKey>;
  /**
   * Generates an API key to replace another, with the same details. Saving it makes the other expire after `overlapMs`, and
   * returns when.
   */
  rotate(key: ApiKeyStatus, overlapMs: number): NewServerKey<number>;
  /** Returns every key, oldest first. */
  list(): Promise<readonly ApiKeyStatus[]>;
  /** Returns whether the text is a complete API key in the database. */
  isKey(text: string): Promise<boolean>;
  /** Changes a key. Throws a usage error if the label is taken. */
  update(key: ApiKeyStatus, changes: ApiKeyChanges): Promise<void>;
  /** Revokes the key: requests with it get 401 from now on. */
  revoke(key: ApiKeyStatus): Promise<void>;
}

/** An API key that is not stored yet. It cannot be read again. */
export interface NewServerKey<Saved = void> {
  readonly key: Secret;
  /** The first characters of the key. */
  readonly prefix: string;
  /** Makes the key valid. Throws a failure if other processes have changed the keys meanwhile. */
  save(): Promise<Saved>;
}
