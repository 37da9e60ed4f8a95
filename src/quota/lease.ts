import type { Clock } from '../clock.js';
import { countOf, sweep } from './gate-rules.js';
import { endOf, type Ledger, type LedgerEntry, merge, type Reservation } from './ledger.js';

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
  /** The longest that a request may take, and until when the ledger keeps the lease. */
  let longest = 0;
  let heldUntil = 0;
  let syncing: Promise<LedgerEntry> | undefined;
  const isOurs = ({ owner }: Reservation) => owner === ledger.owner;
  const withoutOurs = (entry: LedgerEntry): LedgerEntry => ({
    ...entry,
    reservations: entry.reservations.filter((one) => !isOurs(one)),
  });

  // The edit may be made more than once, and counts only when it is kept.
  const sync = async (account: string) => {
    const granted = await ledger.update(account, (entry) => {
      const now = clock.now();
      const kept = sweep(withoutOurs(entry), now, ledger.hasEnded);
      const others = kept.reservations;
      const underWay = view?.reservations.filter(isOurs) ?? [];
      const merged = { ...(view ? merge(kept, view, now) : kept), reservations: others };
      // What is left of the share is handed back, so that nobody uses it until the next one is sure.
      share = 0;
      const next = shareOf(merged, countOf(others) + underWay.length, now);
      const until = Math.max(now + longest + leaseSlack, ...underWay.map((one) => one.until));
      const count = next + underWay.length;
      const { refusals } = merged;
      const lease = { id, owner: ledger.owner, count, since: now, until, refusals };
      // A lease of nothing would keep others waiting for an answer that nobody has asked for.
      const reservations = count > 0 ? [...others, lease] : others;
      return [
        { ...merged, reservations },
        { merged, next, until },
      ];
    });
    const { merged, next, until } = granted;
    const now = clock.now();
    const underWay = view?.reservations.filter(isOurs) ?? [];
    const known = view ? merge(merged, view, now) : merged;
    view = { ...known, reservations: [...merged.reservations, ...underWay] };
    share = next;
    heldUntil = until;
    syncAt = now + syncEvery;
    return view;
  };
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
      if (!view || clock.now() >= syncAt + syncEvery) await synced(name);
      // What was leased holds on meanwhile.
      else if (clock.now() >= syncAt) void synced(name);
      for (let tries = 0; ; tries += 1) {
        const before = view as LedgerEntry;
        const [after, result] = edit(before);
        const added = after.reservations.slice(before.reservations.length);
        // Another request of this process may take what a sync has brought.
        if (added.length > share && tries < mostTries) {
          await synced(name);
          continue;
        }
        share -= added.length;
        view = after;
        longest = Math.max(longest, ...added.map(({ since, until }) => until - since));
        const isOutlasted = added.some(({ until }) => until > heldUntil);
        if (isOutlasted || concernsOthers(before, after)) {
          await syncing;
          await synced(name);
        }
        return result;
      }
    },
    settled: ledger.settled,
    end: async () => {
      if (!view) return;
      // A sync that is under way would take a share after this one was handed back.
      await syncing?.catch(() => {});
      await ledger.update(account, (entry) => {
        const kept = withoutOurs(entry);
        const { reservations } = kept;
        return [{ ...(view ? merge(kept, view, clock.now()) : kept), reservations }, undefined];
      });
      view = undefined;
    },
  };
}

const syncEvery = 250;
const leaseSlack = 5_000;
const mostTries = 100;
const largestShare = 500;

/** Half of what is left, so that others need not wait; one where nothing is known. */
function shareOf({ windows, silent, refusals }: LedgerEntry, taken: number, now: number): number {
  const open = windows.filter((window) => endOf(window, now) > now);
  const isKnown = open.length > 0 && open.length === windows.length && refusals === 0;
  if (!isKnown && silent && refusals === 0 && windows.length === 0) return largestShare;
  // Of those who know nothing one goes first.
  if (!isKnown) return taken > 0 ? 0 : 1;
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
