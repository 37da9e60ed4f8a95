import { type RedisConnection, RedisError } from '../../src/quota/redis-connection.js';
import { compareAndSet } from '../../src/quota/redis-quota-store.js';

export interface FakeRedis extends RedisConnection {
  /** The stored texts. A test may change them, as another machine does. */
  readonly texts: Map<string, string>;
  /** Makes every command fail, or get no reply. */
  trouble: 'offline' | 'silent' | undefined;
  /** Called once before the next script runs, to change the texts in between. */
  beforeScript: (() => void) | undefined;
  /** The names of the commands sent. */
  readonly commands: readonly string[];
  isClosed: boolean;
}

/** Returns a Redis in memory with the commands of the quota store. `sleep` waits for the timeout of a silent Redis. */
export function fakeRedis(sleep: (ms: number) => Promise<void> = async () => {}): FakeRedis {
  const texts = new Map<string, string>();
  const commands: string[] = [];
  const evalScript = ([script, , key = '', before, after = '']: readonly string[]) => {
    if (script !== compareAndSet) throw new Error('unknown script');
    redis.beforeScript?.();
    redis.beforeScript = undefined;
    const found = texts.get(key) ?? '';
    if (found !== before) return found;
    texts.set(key, after);
    return null;
  };
  const redis: FakeRedis = {
    endpoint: 'redis://fake:6379/0',
    texts,
    commands,
    trouble: undefined,
    beforeScript: undefined,
    isClosed: false,
    send: async ([name = '', ...args], timeoutMs) => {
      commands.push(name);
      if (redis.trouble === 'offline') throw new RedisError('refused the connection');
      if (redis.trouble === 'silent') {
        await sleep(timeoutMs);
        throw new RedisError('did not respond in time');
      }
      if (name === 'EVAL') return evalScript(args);
      const [key = ''] = args;
      if (name === 'DEL') texts.delete(key);
      return name === 'GET' ? (texts.get(key) ?? null) : 'OK';
    },
    close: () => {
      redis.isClosed = true;
    },
  };
  return redis;
}
