import type { Plan } from '../api/plan.js';
import type { Clock } from '../clock.js';
import type { LogEntry } from './format-log-line.js';

/** The flags of `serve`. */
export interface ServeFlags {
  /** 0 for any free port. */
  readonly port: number;
  readonly host: string;
  /** A file (default: one in the data directory), `:memory:`, or a PostgreSQL URL. */
  readonly database?: string | undefined;
  readonly apiKeyFile?: string | undefined;
  /** Plan of the key. Defaults to Free for a new key; an existing one keeps its limits. */
  readonly plan?: Plan | undefined;
  /** Limits of the key that replace those of the plan. */
  readonly perMinute?: number | undefined;
  readonly perDay?: number | undefined;
  /** Further host names to accept. */
  readonly allowHost?: readonly string[] | undefined;
  /** Added to each response, in milliseconds. */
  readonly latency?: number | undefined;
  readonly fault?: FaultFlag | undefined;
  /** Format of the log on stderr. */
  readonly log: LogFormat;
  /** Networks of reverse proxies, such as `10.0.0.0/8`. */
  readonly trustProxy?: readonly string[] | undefined;
  /** How long to serve after a signal, in milliseconds. */
  readonly drain: number;
  /** Serves `GET /metrics` on this port; 0 for any free port. */
  readonly metricsPort?: number | undefined;
  /** The simulated start time, in milliseconds since the Unix epoch. */
  readonly clock?: number | undefined;
}

export const logFormats = ['text', 'json', 'none'] as const;

type LogFormat = (typeof logFormats)[number];

/** Failure to inject, so that users can test their scripts. */
export interface Fault {
  /** Status to respond with; `reset` resets the connection before or after the operation. */
  readonly kind: number | 'reset';
  /** From 0 to 1. */
  readonly probability: number;
}

/** Faults to inject, and the seed of their random numbers. */
export interface FaultFlag {
  readonly faults: readonly Fault[];
  readonly seed?: number;
}

/** What a server needs: flags, what they name, and what the process and the tests provide. */
export interface ServerOptions extends Omit<ServeFlags, 'apiKeyFile' | 'clock' | 'drain' | 'log' | 'trustProxy'> {
  /** Path of a file, `:memory:`, or a PostgreSQL URL. */
  readonly database: string;
  /** API key to accept; `undefined` generates one for a new database. */
  readonly key: string | undefined;
  readonly isTrustedProxy?: IsTrustedProxy | undefined;
  readonly clock: Clock;
  readonly nodeVersion: string;
  /** The seed of random faults without `seed`. */
  readonly seed?: number;
  /** Folder with the files of the API reference page; without it, there is no such page. */
  readonly docsDirectory?: string;
  /** Called with unexpected errors, and the id of the request that caused one. */
  readonly onError: (error: unknown, requestId?: string) => void;
  /** Called with each request, and with warnings. */
  readonly log: (entry: LogEntry) => void;
  /** Length of the minute window, which tests shorten. */
  readonly minuteMs?: number | undefined;
  /** Maximum number of open connections (default: 256). */
  readonly maxConnections?: number | undefined;
  /** Maximum per client: an IPv4 address or the /64 of an IPv6 address (default: 64). */
  readonly maxConnectionsPerAddress?: number | undefined;
}

/** Returns whether an address is that of a reverse proxy whose `X-Forwarded-For` header is believed. */
export type IsTrustedProxy = (address: string, hops: number) => boolean;
