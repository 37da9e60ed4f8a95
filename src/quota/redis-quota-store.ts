import type { Clock } from '../clock.js';
import { parseQuotaState } from './file-quota-store.js';
import { countAsSent } from './gate-rules.js';
import {
  emptyQuotaState,
  filterReservations,
  mergeReservations,
  type QuotaState,
  type QuotaStore,
} from './quota-state.js';
import { type RedisConnection, RedisError } from './redis-connection.js';
import { createUpdateQueue, type WriteState } from './update-queue.js';

export interface RedisQuotaStoreOptions {
  readonly redis: RedisConnection;
  readonly account: string;
  /** The store of the same account on this machine, used while Redis is offline. */
  readonly local: QuotaStore;
  /** Process ids are unique in it. Only its own processes can be seen to have ended. */
  readonly pidNamespace: string;
  readonly clock: Clock;
  readonly onOffline: (error: RedisError) => void;
}

export interface RedisQuotaStore extends QuotaStore {
  /** Connects and reads the state ahead of its first use. */
  prefetch(): void;
  close(): void;
}

/** The longest wait for one reply, connecting included. */
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

/** Returns the key of an account's state. */
export function getRedisKey(account: string): string {
  return `petstore:quota:${account}`;
}

/**
 * Opens the quota store of an account in Redis, for processes of several machines. An update reads the state, edits it here,
 * and stores it if it has not changed since. If Redis is offline or slow, the local store continues from the state that
 * this process knows. Redis receives the changes after reconnecting.
 */
export function openRedisQuotaStore(options: RedisQuotaStoreOptions): RedisQuotaStore {
  const { redis, local, pidNamespace, clock, onOffline } = options;
  const key = getRedisKey(options.account);
  const owner = `${local.owner} ${pidNamespace}`;
  /** The text last known to be in Redis. Empty if the key is missing. */
  let lastText: string | undefined;
  /** State from the store used before, until it is merged into the current one. */
  let carried: QuotaState | undefined;
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
  const withCarriedState = (state: QuotaState) =>
    carried ? mergeReservations(carried, state, owner, clock.now()) : state;

  const readText = async (timeoutMs: number) =>
    toText(await redis.send(['GET', key], timeoutMs).catch(ignoreWrongType));

  const writeLocal: WriteState = (edit, signal) => {
    reconnect();
    return local.update((state) => {
      const edited = edit(withCarriedState(state));
      carried = undefined;
      return [edited, undefined];
    }, signal);
  };
  const writeRedis = async (edit: Parameters<WriteState>[0]) => {
    let text = lastText ?? (await readText(maxDelayMs));
    for (;;) {
      const after = edit(withCarriedState(parseOrEmpty(text)));
      const next = JSON.stringify(after);
      const ttlMs = String(computeTtlMs(after, clock.now()));
      const storedText = await redis.send(['EVAL', compareAndSet, '1', key, text, next, ttlMs], maxDelayMs);
      if (storedText === null) {
        lastText = next;
        // The reservations of this process are in Redis from now on.
        if (carried) void local.update((state) => [removeOwn(state, owner), undefined]);
        carried = undefined;
        return;
      }
      // Invalid UTF-8 never equals its decoded text.
      if (storedText === text) await redis.send(['DEL', key], maxDelayMs);
      text = toText(storedText === text ? '' : storedText);
    }
  };
  const write: WriteState = async (edit, signal) => {
    if (!isOffline) {
      try {
        return await writeRedis(edit);
      } catch (error) {
        goOffline(error);
      }
    }
    return writeLocal(edit, signal);
  };
  const { update, enqueue } = createUpdateQueue(write);
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
      if (carried) await writeLocal((state) => state);
      return local.find();
    },
    update,
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

const hourMs = 3_600_000;

/** Returns how long to keep a state, in milliseconds: until one hour after everything in it has ended. */
export function computeTtlMs({ windows, reservations, block }: QuotaState, now: number): number {
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

/** A value of another type is replaced like a damaged state. */
function ignoreWrongType(error: unknown): string {
  if (error instanceof RedisError && error.code === 'WRONGTYPE') return '';
  throw error;
}

function removeOwn(state: QuotaState, owner: string): QuotaState {
  return filterReservations(state, (one) => one.owner !== owner);
}

function parseOrEmpty(text: string): QuotaState {
  return parseQuotaState(text) ?? emptyQuotaState;
}

/** Counts the reservations of other processes as sent, since their responses will not be visible. */
function countOthersAsSent(state: QuotaState, owner: string): QuotaState {
  return state.reservations.filter((one) => one.owner !== owner).reduce(countAsSent, state);
}
