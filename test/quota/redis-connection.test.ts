import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { createRedactor } from '../../src/config/secret.js';
import { type Redis, RedisError } from '../../src/quota/redis.js';
import { parseRedisAddress, type RedisAddress } from '../../src/quota/redis-address.js';
import { openRedis } from '../../src/quota/redis-connection.js';
import { fakeClock } from '../support/clock.js';
import { hasRedis, startEncryptedRedis, startRedis } from '../support/redis.js';
import { rejectionOf } from '../support/rejection.js';

const errorOf = (promise: Promise<unknown>) => rejectionOf(promise, RedisError);

function open(url: string, { clock = systemClock, pause = 0 } = {}): Redis {
  const address = parseRedisAddress(url) as RedisAddress;
  const redis = openRedis(address, { clock, redactor: createRedactor(), pause });
  onTestFinished(() => redis.close());
  return redis;
}

const long = 5_000;

describe.skipIf(!hasRedis)('with redis-server', () => {
  test('commands and scripts are answered, in order, over one connection', async () => {
    const redis = open((await startRedis()).url);
    const replies = await Promise.all([
      redis.send(['SET', 'a', 'ä\u0000🐕'], long),
      redis.send(['GET', 'a'], long),
      redis.send(['GET', 'b'], long),
      redis.run('return {KEYS[1], ARGV[1], 7, false}', ['k'], ['v'], long),
      redis.send(['CLIENT', 'LIST'], long),
    ]);
    expect(replies.slice(0, 4)).toEqual(['OK', 'ä\u0000🐕', null, ['k', 'v', 7, null]]);
    expect(String(replies[4]).trim().split('\n')).toHaveLength(1);
  });

  test('a script that Redis has forgotten is sent again', async () => {
    const redis = open((await startRedis()).url);
    for (let times = 0; times < 3; times += 1) {
      expect(await redis.run('return ARGV[1]', [], ['x'], long)).toBe('x');
      await redis.send(['SCRIPT', 'FLUSH'], long);
    }
  });

  test('the database of the address is the one that is used, and no other', async () => {
    const { url } = await startRedis('--databases', '4');
    await open(url.replace(/0$/, '3')).send(['SET', 'a', 'x'], long);
    expect(await open(url).send(['GET', 'a'], long)).toBeNull();
    expect(await open(url.replace(/0$/, '3')).send(['GET', 'a'], long)).toBe('x');
    expect((await errorOf(open(url.replace(/0$/, '9')).send(['GET', 'a'], long))).code).toBe('ERR');
  });

  test('user and password are used, and told to nobody', async () => {
    const { port } = await startRedis(
      ...['--requirepass', 'hush-hush', '--user', 'me', 'on', '>hush:me', '~*', '+@all'],
    );
    const at = (who: string) => open(`redis://${who}127.0.0.1:${port}`).send(['GET', 'a'], long);
    expect(await at(':hush-hush@')).toBeNull();
    expect(await at('me:hush%3Ame@')).toBeNull();
    for (const [who, code] of [
      ['', 'NOAUTH'],
      [':hush-not@', 'WRONGPASS'],
      ['you:hush-hush@', 'WRONGPASS'],
    ] as const) {
      const error = await errorOf(at(who));
      expect(error.message).toBe(`does not take this user and password (${code})`);
      expect(`${error.stack}${(error.cause as Error)?.stack}`).not.toContain('hush');
    }
  });

  test('what is asked while it is killed fails at once, and later calls reach the next one', async () => {
    const server = await startRedis();
    const redis = open(server.url);
    await redis.send(['PING'], long);
    const asked = errorOf(redis.send(['BLPOP', 'a', '0'], long));
    await redis.send(['PING'], 20).catch(() => {});
    await server.kill();
    expect((await asked).message).toMatch(/closed the connection|ECONNRESET|in time/);
    expect((await errorOf(redis.send(['PING'], long))).message).toBe('refuses connections');
    await server.restart();
    expect(await redis.send(['PING'], long)).toBe('PONG');
  });

  test('one that is frozen is waited for as long as was said', async () => {
    const server = await startRedis();
    const redis = open(server.url);
    await redis.send(['PING'], long);
    server.freeze();
    const begin = Date.now();
    expect((await errorOf(redis.send(['PING'], 100))).message).toBe('does not answer in time');
    expect(Date.now() - begin).toBeLessThan(long);
    server.thaw();
    expect(await redis.send(['ECHO', 'again'], long)).toBe('again');
  });

  test('a certificate that is not trusted is refused, and so is plain text where TLS is asked for', async () => {
    const untrusted = open((await startEncryptedRedis()).url).send(['PING'], long);
    expect((await errorOf(untrusted)).message).toBe(
      'cannot be reached (DEPTH_ZERO_SELF_SIGNED_CERT)',
    );
    const plain = open((await startRedis()).url.replace('redis:', 'rediss:')).send(['PING'], 200);
    expect((await errorOf(plain)).message).toBe('does not answer in time');
  });
});

/** A server that does with connections what the test wants. */
async function startServer(onConnection: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    onConnection(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

test('a server that never answers is left, with its connection', async () => {
  const { url, sockets } = await startServer((socket) => socket.resume());
  const redis = open(url);
  expect((await errorOf(redis.send(['PING'], 50))).message).toBe('does not answer in time');
  await once(sockets[0] as Socket, 'close');
  expect((await errorOf(redis.send(['PING'], 50))).message).toBe('does not answer in time');
  expect(sockets).toHaveLength(2);
});

test.each(['HTTP/1.1 400 Bad Request\r\n\r\n', '\u0000\u0000', '+OK\r\n+OK\r\n+OK\r\n'])(
  'a server that answers %j is left',
  async (text) => {
    const { url, sockets } = await startServer((socket) =>
      socket.on('data', () => socket.write(text)),
    );
    const redis = open(url);
    await redis.send(['PING'], 100).catch(() => {});
    while (!sockets[0]?.destroyed) await systemClock.sleep(5);
  },
);

test('an error that repeats what was sent is cut to its first word', async () => {
  const { url } = await startServer((socket) =>
    socket.on('data', () =>
      socket.write("-ERR unknown command 'AUTH', with args: 'hush-hush'\r\n"),
    ),
  );
  const error = await errorOf(open(url.replace('//', '//:hush-hush@')).send(['GET', 'a'], long));
  expect(error.message).toBe('refuses (ERR)');
  expect(`${error.stack}${error.cause}`).not.toContain('hush');
});

test('while it pauses after a failure nothing is connected', async () => {
  const { url, sockets } = await startServer((socket) => socket.destroy());
  const clock = fakeClock();
  const redis = open(url, { clock, pause: 200 });
  for (let times = 0; times < 50; times += 1) await errorOf(redis.send(['PING'], long));
  expect(sockets).toHaveLength(1);
  clock.advance(200);
  await errorOf(redis.send(['PING'], long));
  expect(sockets).toHaveLength(2);
});

test('closed while it connects or waits, it leaves no connection behind', async () => {
  const { url, sockets } = await startServer((socket) => socket.resume());
  const redis = open(url);
  const asked = errorOf(redis.send(['PING'], long));
  redis.close();
  expect((await asked).message).toBe('is closed');
  expect((await errorOf(redis.send(['PING'], long))).message).toBe('is closed');
  const waiting = open(url);
  const waited = errorOf(waiting.send(['PING'], long));
  while (sockets.length === 0) await systemClock.sleep(5);
  waiting.close();
  expect((await waited).message).toBe('is closed');
  for (const socket of sockets) if (!socket.destroyed) await once(socket, 'close');
});
