import type { Clock } from '../clock.js';
import { formatLedgerEntry, parseLedgerEntry } from './file-ledger.js';
import { countAsSent } from './gate-rules.js';
import {
  createSerialQueue,
  emptyLedgerEntry,
  filterReservations,
  type Ledger,
  type LedgerEdit,
  type LedgerEntry,
  mergeReservations,
} from './ledger.js';
import { type RedisConnection, RedisError } from './redis-connection.js';

export interface RedisLedgerOptions {
  readonly redis: RedisConnection;
  readonly account: string;
  /** The ledger of the same account on this machine, used while Redis is offline. */
  readonly local: Ledger;
  /** Process ids are unique in it. Only its own processes can be seen to have ended. */
  readonly pidNamespace: string;
  readonly clock: Clock;
  readonly onOffline: (error: RedisError) => void;
}

export interface RedisLedger extends Ledger {
  /** Connects and reads the entry ahead of its first use. */
  prefetch(): void;
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
local current = redis.pcall('GET', KEYS[1])
if type(current) ~= 'string' then current = '' end
if current ~= ARGV[1] then return current end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return false`;

/** Returns the key of an account's entry. */
export function getRedisKey(account: string): string {
  return `petstore:ledger:${account}`;
}

/**
 * Opens the ledger of an account in Redis, for processes of several machines. An update reads the entry, edits it here,
 * and stores it if it has not changed since. If Redis is offline or slow, the local ledger continues from the state that
 * this process knows. Redis receives the changes after reconnecting.
 */
export function openRedisLedger(options: RedisLedgerOptions): RedisLedger {
  const { redis, local, pidNamespace, clock, onOffline } = options;
  const key = getRedisKey(options.account);
  const owner = `${local.owner} ${pidNamespace}`;
  const enqueue = createSerialQueue();
  const runInBudget = createTimeBudget(clock);
  /** The text last known to be in Redis. Empty if the key is missing. */
  let lastText: string | undefined;
  /** State from the ledger used before, until it is merged into the current one. */
  let carried: LedgerEntry | undefined;
  let isOffline = false;
  let reconnectAt = 0;

  const goOffline = (error: unknown) => {
    if (isOffline) return;
    isOffline = true;
    reconnectAt = clock.now() + firstReconnectMs;
    carried = lastText === undefined ? undefined : countOthersAsSent(parseOrEmpty(lastText), owner);
    lastText = undefined;
    onOffline(error instanceof RedisError ? error : new RedisError('failed'));
  };
  const goOnline = async () => {
    carried = await local.find();
    isOffline = false;
  };
  const reconnect = () => {
    const now = clock.now();
    // A clock that was set back must not prevent reconnecting.
    if (now < reconnectAt && reconnectAt - now <= reconnectIntervalMs) return;
    reconnectAt = now + reconnectIntervalMs;
    redis
      .send(['PING'], reconnectTimeoutMs)
      .then(() => enqueue(goOnline))
      .catch(() => {});
  };
  const withCarriedState = (entry: LedgerEntry) =>
    carried ? mergeReservations(carried, entry, owner, clock.now()) : entry;

  const readText = async (timeoutMs: number) =>
    toText(await redis.send(['GET', key], timeoutMs).catch(ignoreWrongType));

  const updateLocal = <Result>(edit: LedgerEdit<Result>, signal?: AbortSignal) => {
    reconnect();
    return local.update((entry) => {
      const edited = edit(withCarriedState(entry));
      carried = undefined;
      return edited;
    }, signal);
  };
  const updateRedis = async <Result>(edit: LedgerEdit<Result>, getRemainingMs: GetRemainingMs): Promise<Result> => {
    let text = lastText ?? (await readText(getRemainingMs()));
    for (;;) {
      const before = parseOrEmpty(text);
      const [after, result] = edit(withCarriedState(before));
      const next = formatLedgerEntry(after);
      const ttlMs = String(computeTtlMs(after, clock.now()));
      // The update after a response delays no request.
      const isAfterResponse = countOwn(after, owner) < countOwn(before, owner);
      const storedText = await redis.send(
        ['EVAL', compareAndSet, '1', key, text, next, ttlMs],
        getRemainingMs(isAfterResponse ? maxDelayMs : 0),
      );
      if (storedText === null) {
        lastText = next;
        // The reservations of this process are in Redis from now on.
        if (carried) void local.update((entry) => [removeOwn(entry, owner), undefined]);
        carried = undefined;
        return result;
      }
      // Invalid UTF-8 never equals its decoded text.
      if (storedText === text) await redis.send(['DEL', key], getRemainingMs());
      text = toText(storedText === text ? '' : storedText);
    }
  };
  const update = async <Result>(edit: LedgerEdit<Result>, signal?: AbortSignal): Promise<Result> => {
    if (isOffline) return updateLocal(edit, signal);
    try {
      return await runInBudget((getRemainingMs) => updateRedis(edit, getRemainingMs));
    } catch (error) {
      goOffline(error);
      return updateLocal(edit, signal);
    }
  };
  return {
    owner,
    hasEnded: (name) => {
      const [id, host, namespace] = name.split(' ');
      const isVisible = namespace === undefined || namespace === pidNamespace;
      return isVisible && local.hasEnded(`${id} ${host}`);
    },
    find: async () => {
      if (!isOffline) {
        try {
          lastText = await readText(maxDelayMs);
          return withCarriedState(parseOrEmpty(lastText));
        } catch (error) {
          goOffline(error);
        }
      }
      reconnect();
      return carried ? updateLocal((entry) => [entry, entry]) : local.find();
    },
    update: (edit, signal) => enqueue(() => update(edit, signal)),
    flush: () => enqueue(local.flush),
    prefetch: () => {
      readText(reconnectTimeoutMs)
        .then((text) => {
          lastText ??= text;
        })
        .catch(() => {});
    },
    close: redis.close,
  };
}

/** Returns the milliseconds that a call may still take. `minMs` raises the total for the call. Throws if none are left. */
type GetRemainingMs = (minMs?: number) => number;

/** Returns a function that limits calls to `maxDelayMs` together. The time refills between calls. */
function createTimeBudget(clock: Clock) {
  let remainingMs = maxDelayMs;
  let endedAt = 0;
  return async <Result>(work: (getRemainingMs: GetRemainingMs) => Promise<Result>) => {
    const startedAt = clock.now();
    let totalMs = Math.min(maxDelayMs, remainingMs + Math.max(0, startedAt - endedAt));
    const computeRest = () => totalMs - Math.max(0, clock.now() - startedAt);
    try {
      return await work((minMs = 0) => {
        totalMs = Math.max(totalMs, minMs);
        if (computeRest() <= 0) throw new RedisError('did not respond in time');
        return computeRest();
      });
    } finally {
      remainingMs = Math.max(0, computeRest());
      endedAt = clock.now();
    }
  };
}

const hourMs = 3_600_000;

/** Returns how long to keep an entry, in milliseconds: until one hour after everything in it has ended. */
export function computeTtlMs({ windows, reservations, block }: LedgerEntry, now: number): number {
  const ends = [
    ...windows.map(({ endsAt, clockUncertaintyMs }) => endsAt + clockUncertaintyMs),
    ...reservations.map(({ endsAt }) => endsAt),
    block ? block.endsAt + block.clockUncertaintyMs + block.maxJitterMs : now,
  ];
  return Math.ceil(Math.max(now, ...ends) - now) + hourMs;
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

function removeOwn(entry: LedgerEntry, owner: string): LedgerEntry {
  return filterReservations(entry, (one) => one.owner !== owner);
}

function parseOrEmpty(text: string): LedgerEntry {
  return parseLedgerEntry(text) ?? emptyLedgerEntry;
}

/** Counts the reservations of other processes as sent, since their responses will not be visible. */
function countOthersAsSent(entry: LedgerEntry, owner: string): LedgerEntry {
  return entry.reservations.filter((one) => one.owner !== owner).reduce(countAsSent, entry);
}
