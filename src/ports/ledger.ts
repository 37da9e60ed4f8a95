import type { Quota } from '../contract/quota.js';

/** What a service last said of a key's quota. */
export interface LedgerEntry {
  readonly quota: Quota;
  /** When that answer came, in milliseconds since the Unix epoch. */
  readonly seenAt: number;
  /** Until when the service refuses, where it said so, in milliseconds since the Unix epoch. */
  readonly blockedUntil?: number;
}

/** The quotas seen by this user's processes, by origin and a digest of the key. */
export interface Ledger {
  find(account: string): LedgerEntry | undefined;
  record(account: string, entry: LedgerEntry): Promise<void>;
}
