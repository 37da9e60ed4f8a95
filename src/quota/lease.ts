import type { Clock } from '../clock.js';
import { countReserved, isQuotaUnknown, removeExpired } from './gate-rules.js';
import {
  filterReservations,
  type Ledger,
  type LedgerEntry,
  mergeLedgerEntries,
  mergeReservations,
  type Reservation,
} from './ledger.js';

/** A ledger in memory that works on a share of the quota. */
export interface LedgerLease extends Ledger {
  /** Returns the rest of the share. Call it when no request is in flight. */
  release(): Promise<void>;
}

const syncIntervalMs = 250;
/** How much longer than the longest request the lease is reserved. */
const leaseSlackMs = 5_000;
const maxAttempts = 100;
const maxShare = 500;

/**
 * Leases a share of the remaining requests from a shared ledger, for many requests in a row. Syncs several times a
 * second, and at once if other processes must know: a block, a new window, an exhausted share.
 */
export function leaseLedger(ledger: Ledger, clock: Clock, reserve = 0): LedgerLease {
  const id = `${ledger.owner} lease`;
  let local: LedgerEntry | undefined;
  let share = 0;
  /** Requests of this process since the last sync. The first share is not limited by it. */
  let used = maxShare;
  let syncAt = 0;
  let maxDurationMs = 0;
  let leaseEndsAt = 0;
  let syncing: Promise<LedgerEntry> | undefined;
  const isOwn = ({ owner }: Reservation) => owner === ledger.owner;
  const findOwn = () => local?.reservations.filter(isOwn) ?? [];
  const withoutOwn = (entry: LedgerEntry) => filterReservations(entry, (one) => !isOwn(one));
  const mergeLocal = (entry: LedgerEntry): LedgerEntry => ({
    ...(local ? mergeLedgerEntries(entry, local, clock.now()) : entry),
    reservations: entry.reservations,
  });

  const sync = async () => {
    // A slow import must not hold a large share that others wait for.
    const isSlow = clock.now() >= syncAt;
    const limit = isSlow ? Math.max(1, 2 * used) : maxShare;
    used = 0;
    const granted = await ledger.update((entry) => {
      const now = clock.now();
      const merged = mergeLocal(removeExpired(withoutOwn(entry), now, ledger.hasEnded));
      const inFlight = findOwn();
      // The rest is returned, and must not be used until the next share is certain.
      share = 0;
      const reserved = countReserved(merged.reservations) + inFlight.length;
      const nextShare = Math.min(limit, computeShare(merged, reserved, reserve, now));
      const endsAt = Math.max(now + maxDurationMs + leaseSlackMs, ...inFlight.map((one) => one.endsAt));
      const count = nextShare + inFlight.length;
      const { rateLimitedStreak } = merged;
      const lease = { id, owner: ledger.owner, count, startedAt: now, endsAt, rateLimitedStreak };
      // An empty lease would make others wait for a response that never comes.
      const reservations = count > 0 ? [...merged.reservations, lease] : merged.reservations;
      return [
        { ...merged, reservations },
        { merged, nextShare, endsAt },
      ];
    });
    const { merged } = granted;
    const now = clock.now();
    local = local ? mergeReservations(local, merged, ledger.owner, now) : merged;
    share = granted.nextShare;
    leaseEndsAt = granted.endsAt;
    syncAt = now + syncIntervalMs;
    return local;
  };
  const syncOnce = () => {
    syncing ??= sync().finally(() => {
      syncing = undefined;
    });
    return syncing;
  };

  return {
    owner: ledger.owner,
    hasEnded: ledger.hasEnded,
    find: async () => (local && clock.now() < syncAt ? local : syncOnce()),
    update: async (edit) => {
      if (!local || clock.now() >= syncAt + syncIntervalMs) await syncOnce();
      // The current share remains valid during the sync.
      else if (clock.now() >= syncAt) void syncOnce();
      for (let attempt = 0; ; attempt += 1) {
        const before = local as LedgerEntry;
        const [after, result] = edit(before);
        // The edit may also remove reservations, of processes that have ended.
        const added = after.reservations.filter(({ id }) => !before.reservations.some((one) => one.id === id));
        // Another request of this process may take the share first.
        if (added.length > share && attempt < maxAttempts) {
          await syncOnce();
          continue;
        }
        share -= added.length;
        used += added.length;
        local = after;
        maxDurationMs = Math.max(maxDurationMs, ...added.map(({ startedAt, endsAt }) => endsAt - startedAt));
        const outlastsLease = added.some(({ endsAt }) => endsAt > leaseEndsAt);
        if (outlastsLease || concernsOthers(before, after)) {
          await syncing;
          await syncOnce();
        }
        return result;
      }
    },
    flush: ledger.flush,
    release: async () => {
      if (!local) return;
      // A running sync would take another share after the release.
      await syncing?.catch(() => {});
      await ledger.update((entry) => [mergeLocal(withoutOwn(entry)), undefined]);
      local = undefined;
    },
  };
}

/**
 * Returns half of the remaining requests without the reserve, so that other processes need not wait; 1 if nothing is
 * known.
 */
function computeShare(entry: LedgerEntry, reserved: number, reserve: number, now: number): number {
  // One process sends the probe.
  if (isQuotaUnknown(entry, now)) return reserved > 0 ? 0 : 1;
  const free = Math.min(...entry.windows.map(({ remaining }) => remaining)) - reserve - reserved;
  return Math.max(0, Math.min(maxShare, Math.ceil(free / 2)));
}

function concernsOthers(before: LedgerEntry, after: LedgerEntry): boolean {
  return (
    before.block !== after.block ||
    before.rateLimitedStreak !== after.rateLimitedStreak ||
    before.noQuotaHeaders !== after.noQuotaHeaders ||
    before.windows.length !== after.windows.length ||
    before.windows.some((one, index) => one.endsAt !== after.windows[index]?.endsAt)
  );
}
