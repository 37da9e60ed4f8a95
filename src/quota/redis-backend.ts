import { createClient } from '@redis/client';
import { type Clock, minuteMs, withTimeout } from '../clock.js';
import type { RedisAddress } from '../config/redis-address.js';
import { emptyQuotaState, parseQuotaState, type QuotaState } from './quota-state.js';
import type { QuotaBackend } from './quota-store.js';

/** The longest wait for one reply, connecting included. In milliseconds. */
const timeoutMs = 1_000;

/** Lua script that stores ARGV[2] for ARGV[3] ms if the value is still ARGV[1], empty if missing; else returns the value. */
const compareAndSet = `
local current = redis.call('GET', KEYS[1]) or ''
if current ~= ARGV[1] then return current end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return false`;

/**
 * Keeps the quota state of an account in Redis or Valkey, as one JSON value, for processes of several machines. The message
 * of an error completes a sentence that starts with the address.
 */
export function openRedisBackend(address: RedisAddress, account: string, clock: Clock): QuotaBackend {
  const key = `petstore:quota:${account}`;
  const client = createClient({
    url: address.url.reveal(),
    socket: { connectTimeout: timeoutMs, reconnectStrategy: false },
    disableClientInfo: true,
    maintNotifications: 'disabled',
  });
  // Without a listener, an error would end the process; the commands reject, too.
  client.on('error', () => {});
  let connecting: Promise<unknown> | undefined;
  const run = async <Result>(command: () => Promise<Result>): Promise<Result> => {
    connecting ??= client.connect();
    try {
      return await withTimeout(connecting.then(command), timeoutMs, clock, () => {
        throw new Error('did not respond in time');
      });
    } catch (error) {
      client.destroy();
      throw toProblem(error as Error);
    }
  };
  const readText = async () => (await run(() => client.get(key))) ?? '';
  const swap = (before: string, after: string, ttlMs: number) =>
    run(() => client.eval(compareAndSet, { keys: [key], arguments: [before, after, String(ttlMs)] }));
  return {
    read: async () => parse(await readText()),
    replace: async (edit) => {
      let text = await readText();
      for (;;) {
        const before = parse(text);
        const after = edit(before);
        if (after === before) return after;
        const current = await swap(text, JSON.stringify(after), computeTtlMs(after, clock.now()));
        if (typeof current !== 'string') return after;
        text = current;
      }
    },
    remove: async () => {
      await run(() => client.del(key));
    },
    close: async () => client.destroy(),
  };
}

/** Keeps only the first word of an error reply, since the rest may repeat the command with the password. */
function toProblem(error: Error): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  const reply = /^[A-Z]{2,20}\b/.exec(message)?.[0];
  if (code === 'ECONNREFUSED') return new Error('refused the connection', { cause: error });
  if (code !== undefined) return new Error(`is unreachable (${code})`, { cause: error });
  if (reply === undefined || reply === 'ERR')
    return error.name === 'Error' ? error : new Error('failed', { cause: error });
  const isUnauthorized = ['NOAUTH', 'WRONGPASS', 'NOPERM'].includes(reply);
  return new Error(`${isUnauthorized ? 'rejected the user name or password' : 'rejected the command'} (${reply})`);
}

function parse(text: string): QuotaState {
  try {
    return text === '' ? emptyQuotaState : parseQuotaState(text);
  } catch {
    throw new Error('has a damaged quota state; reset the quota to delete it');
  }
}

/** Returns how long to keep a state, in milliseconds: until one hour after everything in it has ended. */
export function computeTtlMs({ windows, permits, block }: QuotaState, now: number): number {
  const ends = [
    ...windows.map(({ endsAt, clockUncertaintyMs }) => endsAt + clockUncertaintyMs),
    ...permits.map(({ endsAt }) => endsAt),
    block ? block.endsAt + block.clockUncertaintyMs + block.maxJitterMs : now,
  ];
  return Math.ceil(Math.max(now, ...ends) - now) + 60 * minuteMs;
}
