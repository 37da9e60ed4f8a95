import type { PlanLimits } from '../api/plan.js';
import type { Secret } from '../config/secret.js';
import type { ServeFlags } from '../server/server-options.js';
import type { Database } from '../server/sql.js';

/** Runs servers and opens their databases. */
export interface ServerControl {
  /** Runs the server until a signal ends the command. */
  start(flags: ServeFlags): Promise<StartedServer>;
  /**
   * Opens the database that `serve` would open, also while a server runs on it. Without `create`, a missing one is a usage
   * error.
   */
  openDatabase(options: DatabaseOptions & { readonly create: boolean }): Promise<ServerDatabase>;
}

/** A file (default: one in the data directory), or a PostgreSQL URL. */
export type DatabaseOptions = Pick<ServeFlags, 'database'>;

export interface ServerDatabase {
  readonly database: Database;
  /** The path or URL without its password. */
  readonly displayName: string;
  /** Returns a new API key, which only the result of the command shows. */
  generateKey(): Secret;
}

export interface StartedServer {
  readonly baseUrl: string;
  /** URL of the metrics, if there are any. */
  readonly metricsUrl?: string;
  /** The API key, if this start created one. */
  readonly apiKey?: Secret;
  /** The first characters of the API key in the database. */
  readonly keyPrefix: string;
  /** The limits of that key. */
  readonly limits: PlanLimits;
  readonly database: string;
  /** Resolves after shutdown: no request in flight, the database closed. */
  readonly ended: Promise<void>;
}
