import type { Clock } from '../contract/clock.js';
import {
  endOf,
  type Ledger,
  type LedgerEntry,
  type Reservation,
  type Window,
} from '../ports/ledger.js';
import { countOf, sweep } from './gate-rules.js';

/** A ledger that this process may use without asking the others each time. */
export interface Lease extends Ledger {
  /** Hands everything back; to be called once nothing is under way. */
  end(): Promise<void>;
}

/**
 * For many requests in a row: takes a share of what is left out of the ledger that all processes use, works
 * with it in memory, and brings back what it has learned several times a second, and at once where that
 * concerns the others: a refusal, another window, the share used up. One account only.
 */
export function leaseLedger(ledger: Ledger, clock: Clock): Lease {
  const id = `${ledger.owner} lease`;
  let view: LedgerEntry | undefined;
  let share = 0;
  let syncAt = 0;
  let syncing: Promise<LedgerEntry> | undefined;
  const isOurs = ({ owner }: Reservation) => owner === ledger.owner;
  const withoutOurs = (entry: LedgerEntry): LedgerEntry => ({
    ...entry,
    reservations: entry.reservations.filter((one) => !isOurs(one)),
  });

  const sync = (account: string) =>
    ledger.update(account, (entry) => {
      const now = clock.now();
      const kept = sweep(withoutOurs(entry), now, ledger.hasEnded);
      const others = kept.reservations;
      const underWay = view?.reservations.filter(isOurs) ?? [];
      const merged = { ...merge(kept, view, now), reservations: others };
      share = shareOf(merged, countOf(others) + underWay.length, now);
      syncAt = now + syncEvery;
      view = { ...merged, reservations: [...others, ...underWay] };
      const lease: Reservation = {
        id,
        owner: ledger.owner,
        count: share + underWay.length,
        since: now,
        until: Math.max(now + leaseLength, ...underWay.map(({ until }) => until)),
        refusals: merged.refusals,
      };
      return [{ ...merged, reservations: [...others, lease] }, view];
    });
  const synced = async (account: string) => {
    syncing ??= sync(account).finally(() => {
      syncing = undefined;
    });
    return syncing;
  };

  let account = '';
  return {
    owner: ledger.owner,
    hasEnded: ledger.hasEnded,
    find: async (name) => (view && clock.now() < syncAt ? view : synced(name)),
    update: async (name, edit) => {
      account = name;
      if (syncing || !view || share <= 0 || clock.now() >= syncAt) await synced(name);
      const before = view as LedgerEntry;
      const [after, result] = edit(before);
      share -= Math.max(0, after.reservations.length - before.reservations.length);
      view = after;
      if (concernsOthers(before, after)) await synced(name);
      return result;
    },
    settled: ledger.settled,
    end: async () => {
      if (!view) return;
      await ledger.update(account, (entry) => {
        const kept = withoutOurs(entry);
        const { reservations } = kept;
        return [{ ...merge(kept, view, clock.now()), reservations }, undefined];
      });
      view = undefined;
    },
  };
}

const syncEvery = 250;
const leaseLength = 2_000;
const largestShare = 500;

/** Half of what is left, so that others need not wait; one where nothing is known. */
function shareOf({ windows, silent, refusals }: LedgerEntry, taken: number, now: number): number {
  const open = windows.filter((window) => endOf(window, now) > now);
  const isKnown = open.length > 0 && open.length === windows.length && refusals === 0;
  if (!isKnown) return silent && refusals === 0 && windows.length === 0 ? largestShare : 1;
  const free = Math.min(...open.map(({ remaining }) => remaining)) - taken;
  return Math.max(0, Math.min(largestShare, Math.ceil(free / 2)));
}

function concernsOthers(before: LedgerEntry, after: LedgerEntry): boolean {
  return (
    before.block !== after.block ||
    before.refusals !== after.refusals ||
    before.silent !== after.silent ||
    before.windows.length !== after.windows.length ||
    before.windows.some((one, index) => one.until !== after.windows[index]?.until)
  );
}

/** What the ledger holds and what was learned since, whoever has learned it. */
function merge(kept: LedgerEntry, view: LedgerEntry | undefined, now: number): LedgerEntry {
  if (!view) return kept;
  const [newer, older] = view.seenAt >= kept.seenAt ? [view, kept] : [kept, view];
  const extra = older.windows.filter(
    (one) => endOf(one, now) > now && !newer.windows.some((other) => other.limit === one.limit),
  );
  const windows = newer.windows.map((one) => fewest(one, older.windows));
  const blocks = [view.block, kept.block].filter((block) => block !== undefined);
  const block = blocks.reduce(
    (last, one) => (last && last.until > one.until ? last : one),
    undefined as LedgerEntry['block'],
  );
  const { block: _, ...rest } = newer;
  return { ...rest, windows: [...windows, ...extra], ...(block && { block }) };
}

function fewest(window: Window, others: readonly Window[]): Window {
  const same = others.find(({ limit, until }) => limit === window.limit && until === window.until);
  return same && same.remaining < window.remaining ? same : window;
}
