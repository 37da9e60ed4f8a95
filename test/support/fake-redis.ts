import { compareAndSet } from '../../src/quota/fleet-entry.js';
import { type Redis, RedisError, type RedisReply } from '../../src/quota/redis.js';

export interface FakeRedis extends Redis {
  /** What it holds, for whoever looks; it may be set, as other machines do. */
  readonly kept: Map<string, string>;
  /** What every call met with while it is set: a refusal, or an answer that never comes. */
  trouble: 'away' | 'silent' | undefined;
  /** Done before the script runs, once: what another machine does in between. */
  meanwhile: (() => void) | undefined;
  /** How many calls came. */
  readonly calls: readonly string[];
  isClosed: boolean;
}

/** A Redis in memory that knows what the ledger asks of one. `sleep` tells how a late answer is waited for. */
export function fakeRedis(sleep: (ms: number) => Promise<void> = async () => {}): FakeRedis {
  const kept = new Map<string, string>();
  const calls: string[] = [];
  const reach = async (name: string, within: number) => {
    calls.push(name);
    if (redis.trouble === 'away') throw new RedisError('refuses connections');
    if (redis.trouble !== 'silent') return;
    await sleep(within);
    throw new RedisError('does not answer in time');
  };
  const answer = (name: string, key: string): RedisReply => {
    if (name === 'DEL') kept.delete(key);
    return name === 'GET' ? (kept.get(key) ?? null) : 'OK';
  };
  const redis: FakeRedis = {
    place: 'redis://fake:6379/0',
    kept,
    calls,
    trouble: undefined,
    meanwhile: undefined,
    isClosed: false,
    send: async ([name = '', key = ''], within) => {
      await reach(name, within);
      return answer(name, key);
    },
    run: async (script, [key = ''], [before, after = ''], within) => {
      if (script !== compareAndSet) throw new Error('the fake knows one script');
      await reach('CAS', within);
      redis.meanwhile?.();
      redis.meanwhile = undefined;
      const found = kept.get(key) ?? '';
      if (found !== before) return found;
      kept.set(key, after);
      return null;
    },
    close: () => {
      redis.isClosed = true;
    },
  };
  return redis;
}
