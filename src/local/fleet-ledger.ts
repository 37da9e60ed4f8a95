import type { Clock } from '../contract/clock.js';
import { type Redis, RedisError } from '../contract/redis.js';
import { type Ledger, type LedgerEntry, merge, unknownEntry } from '../ports/ledger.js';
import { compareAndSet, keyOf, lifetimeOf } from './fleet-script.js';
import { parseEntry } from './ledger-entry.js';

export interface FleetOptions {
  readonly redis: Redis;
  /** Serves while Redis is away. */
  readonly local: Ledger;
  /** What process ids are unique in, other than which no process can be seen to have ended. */
  readonly space: string;
  readonly clock: Clock;
  /** Told once, when Redis is found to be away. */
  readonly onAway: (error: RedisError) => void;
}

/** A ledger that is to be closed. */
export interface FleetLedger extends Ledger {
  close(): void;
}

/** The longest that a request waits for Redis, in milliseconds: connecting, reading and conflicts together. */
const bound = 250;
/** After how long Redis is tried again. */
const retryEvery = 5_000;
const retryWithin = 2_000;

/**
 * The ledger in Redis, for processes of many machines. An entry is read, edited here, and set by a script only
 * where it still is what was read. Where Redis is away or slow, the local ledger goes on from what this process
 * has learned there, and Redis learns from it once it is back.
 */
export function openFleetLedger(options: FleetOptions): FleetLedger {
  const { redis, local, space, clock, onAway } = options;
  const owner = `${local.owner} ${space}`;
  /** The text last known to be in Redis; a missing one is empty. */
  const texts = new Map<string, string>();
  /** What an account takes along from the ledger that served before. */
  const luggage = new Map<string, LedgerEntry>();
  const visited = new Set<string>();
  // This process's own updates take turns, so that they do not contradict each other.
  let turn: Promise<unknown> = Promise.resolve();
  let isAway = false;
  let isTold = false;
  let retryAt = 0;
  let left = bound;
  let leftAt = 0;

  const leave = (error: unknown) => {
    if (isAway) return;
    isAway = true;
    retryAt = clock.now() + retryEvery;
    luggage.clear();
    for (const [account, text] of texts) luggage.set(account, asSent(entryOf(text), owner));
    texts.clear();
    if (!isTold) onAway(error instanceof RedisError ? error : new RedisError('fails'));
    isTold = true;
  };
  const comeBack = async () => {
    luggage.clear();
    for (const account of visited) {
      const entry = await local.find(account);
      if (entry) luggage.set(account, entry);
    }
    visited.clear();
    isAway = false;
  };
  const tryAgain = () => {
    const now = clock.now();
    if (now < retryAt && retryAt - now <= retryEvery) return;
    retryAt = now + retryEvery;
    redis
      .send(['PING'], retryWithin)
      .then(() => {
        turn = turn.then(comeBack);
      })
      .catch(() => {});
  };
  const unpack = (account: string, entry: LedgerEntry) => {
    const carried = luggage.get(account);
    return carried ? carry(carried, entry, owner, clock.now()) : entry;
  };

  const updateHere = async <Result>(account: string, edit: Edit<Result>): Promise<Result> => {
    visited.add(account);
    tryAgain();
    return local.update(account, (entry) => {
      const edited = edit(unpack(account, entry));
      luggage.delete(account);
      return edited;
    });
  };
  const updateThere = async <Result>(
    account: string,
    edit: Edit<Result>,
    leftFor: () => number,
  ): Promise<Result> => {
    const key = keyOf(account);
    let text = texts.get(account);
    for (let isFresh = false; ; isFresh = true) {
      text ??= asText(await redis.send(['GET', key], leftFor()).catch(asDamaged));
      const before = entryOf(text);
      const [after, result] = edit(unpack(account, before));
      if (after === before && isFresh) return result;
      if (after === before) {
        text = undefined;
        continue;
      }
      const next = JSON.stringify(after);
      const lifetime = String(lifetimeOf(after, clock.now()));
      const found = await redis.run(compareAndSet, [key], [text, next, lifetime], leftFor());
      if (found === null) {
        texts.set(account, next);
        if (luggage.delete(account)) void local.update(account, withoutOwn(owner));
        return result;
      }
      // What is no Unicode never equals what was read of it.
      if (found === text) await redis.send(['DEL', key], leftFor());
      text = asText(found === text ? '' : found);
    }
  };
  /** The time that a call may take; it comes back as time passes in which Redis is not waited for. */
  const timed = async <Result>(work: (leftFor: () => number) => Promise<Result>) => {
    const begin = clock.now();
    left = Math.min(bound, left + Math.max(0, begin - leftAt));
    const given = left;
    const spent = () => Math.max(0, clock.now() - begin);
    const leftFor = () => {
      if (spent() >= given) throw new RedisError('does not answer in time');
      return given - spent();
    };
    try {
      return await work(leftFor);
    } finally {
      left = Math.max(0, given - spent());
      leftAt = clock.now();
    }
  };
  const update = async <Result>(account: string, edit: Edit<Result>): Promise<Result> => {
    if (isAway) return updateHere(account, edit);
    try {
      return await timed((leftFor) => updateThere(account, edit, leftFor));
    } catch (error) {
      leave(error);
      return updateHere(account, edit);
    }
  };
  return {
    owner,
    hasEnded: (name) => {
      const [id, host, where] = name.split(' ');
      return (where === undefined || where === space) && local.hasEnded(`${id} ${host}`);
    },
    find: async (account) => {
      if (!isAway) {
        try {
          const text = asText(await redis.send(['GET', keyOf(account)], bound).catch(asDamaged));
          texts.set(account, text);
          const isKnown = luggage.has(account) || parse(text) !== undefined;
          return isKnown ? unpack(account, entryOf(text)) : undefined;
        } catch (error) {
          leave(error);
        }
      }
      tryAgain();
      if (!luggage.has(account)) return local.find(account);
      return updateHere(account, (entry) => [entry, entry]);
    },
    update: (account, edit) => {
      const working = turn.then(() => update(account, edit));
      turn = working.catch(() => {});
      return working;
    },
    settled: async () => {
      await turn;
      await local.settled();
    },
    close: redis.close,
  };
}

type Edit<Result> = (entry: LedgerEntry) => readonly [entry: LedgerEntry, result: Result];

/** What others put there, and what is no entry, is as if nothing were there. */
function entryOf(text: string): LedgerEntry {
  return parse(text) ?? unknownEntry;
}

function parse(text: string): LedgerEntry | undefined {
  return text.length <= longest ? parseEntry(text) : undefined;
}

const longest = 1_000_000;

function asText(reply: unknown): string {
  return typeof reply === 'string' ? reply : '';
}

/** Something that is no text is under the key: it is replaced like a damaged entry. */
function asDamaged(error: unknown): string {
  if (error instanceof RedisError && error.code === 'WRONGTYPE') return '';
  throw error;
}

/** The requests of others are out of sight from now on: they may all have been sent. */
function asSent(entry: LedgerEntry, owner: string): LedgerEntry {
  const reservations = entry.reservations.filter((one) => one.owner === owner);
  const others = entry.reservations.filter((one) => one.owner !== owner);
  const sent = others.reduce((sum, { count = 1 }) => sum + count, 0);
  const windows = entry.windows.map((one) => ({ ...one, remaining: one.remaining - sent }));
  return { ...entry, windows, reservations };
}

/** An entry with what is known elsewhere, and with this process's requests as they are known there. */
function carry(from: LedgerEntry, to: LedgerEntry, owner: string, now: number): LedgerEntry {
  const own = from.reservations.filter((one) => one.owner === owner);
  const others = to.reservations.filter((one) => one.owner !== owner);
  return { ...merge(to, from, now), reservations: [...others, ...own] };
}

function withoutOwn(owner: string): Edit<undefined> {
  return (entry) => {
    const reservations = entry.reservations.filter((one) => one.owner !== owner);
    const isSame = reservations.length === entry.reservations.length;
    return [isSame ? entry : { ...entry, reservations }, undefined];
  };
}
