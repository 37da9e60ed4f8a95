import type { Plan, PlanLimits } from '../api/plan.js';
import type { Quota } from '../api/rate-limit-headers.js';
import type { Secret } from '../config/secret.js';
import type { Fault } from '../server/fault-injection.js';

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
  readonly fault?: FaultInjection;
  /** Answers `GET /metrics`, for Prometheus. */
  readonly metrics?: boolean;
  /** When the store is to live, in milliseconds since the Unix epoch: from there on its time passes. */
  readonly clock?: number;
}

/** Failures that the store is to make, and what they follow from. */
export interface FaultInjection {
  readonly faults: readonly Fault[];
  readonly seed?: number;
}

export interface StartedServer {
  readonly baseUrl: string;
  /** The key, where this start made one. */
  readonly apiKey?: Secret;
  /** The first characters of the key that the database knows. */
  readonly keyPrefix: string;
  /** What that key may send. */
  readonly limits: PlanLimits;
  readonly database: string;
  /** Resolves when the service has ended: nothing in flight, the database closed. */
  readonly ended: Promise<void>;
  /** Ends it in order, whoever asks; the same promise each time. */
  end(): Promise<void>;
}

export interface ServerKeysOptions {
  readonly database?: string | undefined;
  /** Makes the database where there is none; else that fails (usage). */
  readonly create: boolean;
}

/** Works while the service runs on the same database. */
export interface ServerKeys {
  /** Where the database is. */
  readonly database: string;
  /** Makes a new key known; resolves to it, which nobody can tell again, and to its first characters. */
  create(options: {
    readonly plan: Plan;
    readonly limits: PlanLimits;
    readonly label?: string | undefined;
  }): Promise<{ readonly key: Secret; readonly prefix: string }>;
  /** Every key, the first one first. */
  list(): Promise<readonly ServerKey[]>;
  /** True for a key in full that the database knows. */
  isKey(text: string): Promise<boolean>;
  /** Whoever uses it is unauthorized from now on. */
  revoke(key: ServerKey): Promise<void>;
}

export interface ServerKey {
  /** SHA-256 of the key, in hexadecimal digits. */
  readonly digest: string;
  /** The key's first characters. */
  readonly prefix: string;
  readonly plan: Plan;
  readonly limits: PlanLimits;
  readonly label: string | undefined;
  /** In milliseconds since the Unix epoch, as every time here. */
  readonly createdAt: number;
  /** What is left of the window of a minute, and of a day. */
  readonly minute: Required<Quota>;
  readonly day: Required<Quota>;
  /** Missing where the key is not banned. */
  readonly bannedUntil: number | undefined;
}
