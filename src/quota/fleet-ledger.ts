import { type Clock, withTimeout } from '../clock.js';
import { asSent, carry, compareAndSet, entryOf, keyOf, lifetimeOf, parse } from './fleet-entry.js';
import type { Edit, Ledger, LedgerEntry } from './ledger.js';
import { type Redis, RedisError } from './redis.js';
import { createSerialQueue } from './serial-queue.js';
import { createAllowance, type LeftFor } from './time-budget.js';

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

export interface FleetLedger extends Ledger {
  /** Connects and reads an entry that will soon be asked for, while something else is done. */
  prepare(account: string): void;
  close(): void;
}

/** The longest that a request waits for Redis, in milliseconds: connecting, reading and conflicts together. */
const bound = 250;
/** After how long Redis is tried again, the first time and later. */
const retryFirst = 1_000;
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
  const turns = createSerialQueue();
  const allowance = createAllowance(bound, clock, () => new RedisError('does not answer in time'));
  let preparing: Promise<string> | undefined;
  let isAway = false;
  let isTold = false;
  let retryAt = 0;

  const leave = (error: unknown) => {
    if (isAway) return;
    isAway = true;
    // It may only have been slow for a moment.
    retryAt = clock.now() + retryFirst;
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
      .then(() => turns.run(comeBack))
      .catch(() => {});
  };
  const unpack = (account: string, entry: LedgerEntry) => {
    const carried = luggage.get(account);
    return carried ? carry(carried, entry, owner, clock.now()) : entry;
  };

  const get = async (account: string, within: number) =>
    asText(await redis.send(['GET', keyOf(account)], within).catch(asDamaged));
  /** What was read before it was asked for; nothing where that is still under way once the time is over. */
  const prepared = async (within: number) => {
    const text = preparing;
    if (!text) return undefined;
    preparing = undefined;
    return withTimeout(text, within, clock, () => undefined);
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
    leftFor: LeftFor,
  ): Promise<Result> => {
    const key = keyOf(account);
    let text = texts.get(account);
    for (let isFresh = text === undefined; ; isFresh = true) {
      text ??= (await prepared(leftFor())) ?? (await get(account, leftFor()));
      const before = entryOf(text);
      const [after, result] = edit(unpack(account, before));
      if (after === before && isFresh) return result;
      if (after === before) {
        text = undefined;
        continue;
      }
      const next = JSON.stringify(after);
      const lifetime = String(lifetimeOf(after, clock.now()));
      // What ends a request is not on the way to it.
      const given = leftFor(countOwn(after, owner) < countOwn(before, owner) ? bound : 0);
      const found = await redis.run(compareAndSet, [key], [text, next, lifetime], given);
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
  const update = async <Result>(account: string, edit: Edit<Result>): Promise<Result> => {
    if (isAway) return updateHere(account, edit);
    try {
      return await allowance.spend((leftFor) => updateThere(account, edit, leftFor));
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
          const text = await get(account, bound);
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
    update: (account, edit) => turns.run(() => update(account, edit)),
    settled: async () => {
      await turns.whenIdle();
      await local.settled();
    },
    prepare: (account) => {
      preparing = get(account, retryWithin);
      preparing.catch(() => {});
    },
    close: redis.close,
  };
}

function asText(reply: unknown): string {
  return typeof reply === 'string' ? reply : '';
}

/** Something that is no text is under the key: it is replaced like a damaged entry. */
function asDamaged(error: unknown): string {
  if (error instanceof RedisError && error.code === 'WRONGTYPE') return '';
  throw error;
}

function countOwn({ reservations }: LedgerEntry, owner: string): number {
  return reservations.filter((one) => one.owner === owner).length;
}

function withoutOwn(owner: string): Edit<undefined> {
  return (entry) => {
    const reservations = entry.reservations.filter((one) => one.owner !== owner);
    const isSame = reservations.length === entry.reservations.length;
    return [isSame ? entry : { ...entry, reservations }, undefined];
  };
}
