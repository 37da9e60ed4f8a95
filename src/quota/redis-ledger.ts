import { type Clock, withTimeout } from '../clock.js';
import { countAsSent } from './gate-rules.js';
import {
  computeTtlMs,
  emptyLedgerEntry,
  filterReservations,
  type Ledger,
  type LedgerEdit,
  type LedgerEntry,
  mergeReservations,
} from './ledger.js';
import { formatLedgerEntry, parseLedgerEntry } from './ledger-format.js';
import { type RedisConnection, RedisError } from './redis-connection.js';
import { createSerialQueue } from './serial-queue.js';
import { createTimeBudget, type GetRemainingMs } from './time-budget.js';

export interface RedisLedgerOptions {
  readonly redis: RedisConnection;
  /** Used while Redis is offline. */
  readonly local: Ledger;
  /** Process ids are unique in it. Only its own processes can be seen to have ended. */
  readonly pidNamespace: string;
  readonly clock: Clock;
  /** Called once, the first time that Redis is offline. */
  readonly onOffline: (error: RedisError) => void;
}

export interface RedisLedger extends Ledger {
  /** Connects and reads an entry ahead of its first use. */
  prefetch(account: string): void;
  close(): void;
}

/** The maximum delay of a request by Redis: connecting, reading and conflicts together. */
const maxDelayMs = 250;
const firstReconnectMs = 1_000;
const reconnectIntervalMs = 5_000;
const reconnectTimeoutMs = 2_000;

/**
 * Lua script that stores a text under KEYS[1] for ARGV[3] milliseconds if the current text is ARGV[1], or empty if the
 * key is missing. Otherwise returns the current text. A value of another type counts as missing.
 */
export const compareAndSet = `
local kept = redis.pcall('GET', KEYS[1])
if type(kept) ~= 'string' then kept = '' end
if kept ~= ARGV[1] then return kept end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return false`;

/** Returns the key of an account's entry. */
export function getRedisKey(account: string): string {
  return `petstore:ledger:${account}`;
}

/**
 * Opens the ledger in Redis, for processes of several machines. An update reads an entry, edits it here, and stores it
 * if it has not changed since. If Redis is offline or slow, the local ledger continues from the state that this process
 * knows. Redis receives the changes after reconnecting.
 */
export function openRedisLedger(options: RedisLedgerOptions): RedisLedger {
  const { redis, local, pidNamespace, clock, onOffline } = options;
  const owner = `${local.owner} ${pidNamespace}`;
  /** The text last known to be in Redis, by account. Empty if the key is missing. */
  const lastTexts = new Map<string, string>();
  /** State from the ledger used before, by account, until it is merged into the current one. */
  const carriedState = new Map<string, LedgerEntry>();
  const changedOffline = new Set<string>();
  const queue = createSerialQueue();
  const budget = createTimeBudget(
    maxDelayMs,
    clock,
    () => new RedisError('does not answer in time'),
  );
  let prefetched: Promise<string> | undefined;
  let isOffline = false;
  let hasReported = false;
  let reconnectAt = 0;

  const goOffline = (error: unknown) => {
    if (isOffline) return;
    isOffline = true;
    reconnectAt = clock.now() + firstReconnectMs;
    carriedState.clear();
    for (const [account, text] of lastTexts) {
      carriedState.set(account, countOthersAsSent(parseOrEmpty(text), owner));
    }
    lastTexts.clear();
    if (!hasReported) onOffline(error instanceof RedisError ? error : new RedisError('fails'));
    hasReported = true;
  };
  const goOnline = async () => {
    carriedState.clear();
    for (const account of changedOffline) {
      const entry = await local.find(account);
      if (entry) carriedState.set(account, entry);
    }
    changedOffline.clear();
    isOffline = false;
  };
  const reconnect = () => {
    const now = clock.now();
    // A clock that was set back must not prevent reconnecting.
    if (now < reconnectAt && reconnectAt - now <= reconnectIntervalMs) return;
    reconnectAt = now + reconnectIntervalMs;
    redis
      .send(['PING'], reconnectTimeoutMs)
      .then(() => queue.run(goOnline))
      .catch(() => {});
  };
  const withCarriedState = (account: string, entry: LedgerEntry) => {
    const carried = carriedState.get(account);
    return carried ? mergeReservations(carried, entry, owner, clock.now()) : entry;
  };

  const readText = async (account: string, timeoutMs: number) =>
    toText(await redis.send(['GET', getRedisKey(account)], timeoutMs).catch(ignoreWrongType));
  /** Returns undefined if nothing was prefetched in time. */
  const takePrefetched = async (timeoutMs: number) => {
    const text = prefetched;
    prefetched = undefined;
    return text && withTimeout(text, timeoutMs, clock, () => undefined);
  };

  const updateLocal = async <Result>(account: string, edit: LedgerEdit<Result>) => {
    changedOffline.add(account);
    reconnect();
    return local.update(account, (entry) => {
      const edited = edit(withCarriedState(account, entry));
      carriedState.delete(account);
      return edited;
    });
  };
  const updateRedis = async <Result>(
    account: string,
    edit: LedgerEdit<Result>,
    getRemainingMs: GetRemainingMs,
  ): Promise<Result> => {
    const key = getRedisKey(account);
    let text = lastTexts.get(account);
    for (let isCurrent = text === undefined; ; isCurrent = true) {
      text ??=
        (await takePrefetched(getRemainingMs())) ?? (await readText(account, getRemainingMs()));
      const before = parseOrEmpty(text);
      const [after, result] = edit(withCarriedState(account, before));
      if (after === before) {
        if (isCurrent) return result;
        text = undefined;
        continue;
      }
      const next = formatLedgerEntry(after);
      const ttlMs = String(computeTtlMs(after, clock.now()));
      // The update after a response delays no request.
      const isAfterResponse = countOwn(after, owner) < countOwn(before, owner);
      const found = await redis.send(
        ['EVAL', compareAndSet, '1', key, text, next, ttlMs],
        getRemainingMs(isAfterResponse ? maxDelayMs : 0),
      );
      if (found === null) {
        lastTexts.set(account, next);
        if (carriedState.delete(account)) void local.update(account, removeOwn(owner));
        return result;
      }
      // Invalid UTF-8 never equals its decoded text.
      if (found === text) await redis.send(['DEL', key], getRemainingMs());
      text = toText(found === text ? '' : found);
    }
  };
  const update = async <Result>(account: string, edit: LedgerEdit<Result>): Promise<Result> => {
    if (isOffline) return updateLocal(account, edit);
    try {
      return await budget.run((getRemainingMs) => updateRedis(account, edit, getRemainingMs));
    } catch (error) {
      goOffline(error);
      return updateLocal(account, edit);
    }
  };
  return {
    owner,
    hasEnded: (name) => {
      const [id, host, namespace] = name.split(' ');
      const isVisible = namespace === undefined || namespace === pidNamespace;
      return isVisible && local.hasEnded(`${id} ${host}`);
    },
    find: async (account) => {
      if (!isOffline) {
        try {
          const text = await readText(account, maxDelayMs);
          lastTexts.set(account, text);
          const entry = parseLedgerEntry(text);
          if (!entry && !carriedState.has(account)) return undefined;
          return withCarriedState(account, parseOrEmpty(text));
        } catch (error) {
          goOffline(error);
        }
      }
      reconnect();
      if (!carriedState.has(account)) return local.find(account);
      return updateLocal(account, (entry) => [entry, entry]);
    },
    update: (account, edit) => queue.run(() => update(account, edit)),
    flush: async () => {
      await queue.whenIdle();
      await local.flush();
    },
    prefetch: (account) => {
      prefetched = readText(account, reconnectTimeoutMs);
      prefetched.catch(() => {});
    },
    close: redis.close,
  };
}

function toText(reply: unknown): string {
  return typeof reply === 'string' ? reply : '';
}

/** A value of another type is replaced like a damaged entry. */
function ignoreWrongType(error: unknown): string {
  if (error instanceof RedisError && error.code === 'WRONGTYPE') return '';
  throw error;
}

function countOwn({ reservations }: LedgerEntry, owner: string): number {
  return reservations.filter((one) => one.owner === owner).length;
}

function removeOwn(owner: string): LedgerEdit<undefined> {
  return (entry) => {
    const isUnchanged = countOwn(entry, owner) === 0;
    const edited = isUnchanged ? entry : filterReservations(entry, (one) => one.owner !== owner);
    return [edited, undefined];
  };
}

function parseOrEmpty(text: string): LedgerEntry {
  return parseLedgerEntry(text) ?? emptyLedgerEntry;
}

/** Counts the reservations of other processes as sent, since their responses will not be visible. */
function countOthersAsSent(entry: LedgerEntry, owner: string): LedgerEntry {
  const others = entry.reservations.filter((one) => one.owner !== owner);
  return others.reduce(countAsSent, entry);
}
