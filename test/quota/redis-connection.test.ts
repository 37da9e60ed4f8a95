import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { parseRedisAddress, type RedisAddress } from '../../src/quota/redis-address.js';
import { openRedisConnection, type RedisConnection, RedisError } from '../../src/quota/redis-connection.js';
import { hasRedis, startEncryptedRedis, startRedis } from '../support/redis.js';
import { rejectionOf } from '../support/rejection.js';

const errorOf = (promise: Promise<unknown>) => rejectionOf(promise, RedisError);
const timeoutMs = 5_000;

function open(url: string): RedisConnection {
  const address = parseRedisAddress(url) as RedisAddress;
  const redis = openRedisConnection(address, systemClock);
  onTestFinished(() => redis.close());
  return redis;
}

describe.skipIf(!hasRedis)('with redis-server', () => {
  test('receives the replies in the order of the commands over one connection', async () => {
    const redis = open((await startRedis()).url);
    const replies = await Promise.all([
      redis.send(['SET', 'a', 'ä\u0000🐕'], timeoutMs),
      redis.send(['GET', 'a'], timeoutMs),
      redis.send(['GET', 'b'], timeoutMs),
      redis.send(['EVAL', 'return {KEYS[1], ARGV[1], 7, false}', '1', 'k', 'v'], timeoutMs),
      redis.send(['CLIENT', 'LIST'], timeoutMs),
    ]);
    expect(replies.slice(0, 4)).toEqual(['OK', 'ä\u0000🐕', null, ['k', 'v', 7, null]]);
    expect(String(replies[4]).trim().split('\n')).toHaveLength(1);
  });

  test('uses only the database of the address', async () => {
    const { url } = await startRedis('--databases', '4');
    const inDatabase = (number: number) => open(url.replace(/0$/, String(number)));
    await inDatabase(3).send(['SET', 'a', 'x'], timeoutMs);
    expect(await inDatabase(0).send(['GET', 'a'], timeoutMs)).toBeNull();
    expect(await inDatabase(3).send(['GET', 'a'], timeoutMs)).toBe('x');
    expect((await errorOf(inDatabase(9).send(['GET', 'a'], timeoutMs))).code).toBe('ERR');
  });

  test('authenticates, and never reveals the password', async () => {
    const { port } = await startRedis(
      ...['--requirepass', 'hush-hush', '--user', 'me', 'on', '>hush:me', '~*', '+@all'],
    );
    const getAs = (user: string) => open(`redis://${user}127.0.0.1:${port}`).send(['GET', 'a'], timeoutMs);
    expect(await getAs(':hush-hush@')).toBeNull();
    expect(await getAs('me:hush%3Ame@')).toBeNull();
    for (const [user, code] of [
      ['', 'NOAUTH'],
      [':hush-not@', 'WRONGPASS'],
      ['you:hush-hush@', 'WRONGPASS'],
    ] as const) {
      const error = await errorOf(getAs(user));
      expect(error.message).toBe(`rejected the user name or password (${code})`);
      expect(`${error.stack}${(error.cause as Error)?.stack}`).not.toContain('hush');
    }
  });

  test('fails at once if the server is killed, and reconnects to the next one', async () => {
    const server = await startRedis();
    const redis = open(server.url);
    await redis.send(['PING'], timeoutMs);
    const pending = errorOf(redis.send(['BLPOP', 'a', '0'], timeoutMs));
    await redis.send(['PING'], 20).catch(() => {});
    await server.kill();
    expect((await pending).message).toMatch(/closed the connection|ECONNRESET|in time/);
    expect((await errorOf(redis.send(['PING'], timeoutMs))).message).toBe('refused the connection');
    await server.restart();
    expect(await redis.send(['PING'], timeoutMs)).toBe('PONG');
  });

  test('rejects an untrusted certificate, and a server without TLS', async () => {
    const untrusted = open((await startEncryptedRedis()).url).send(['PING'], timeoutMs);
    expect((await errorOf(untrusted)).message).toBe('is unreachable (DEPTH_ZERO_SELF_SIGNED_CERT)');
    const plain = open((await startRedis()).url.replace('redis:', 'rediss:')).send(['PING'], 200);
    expect((await errorOf(plain)).message).toBe('did not respond in time');
  });
});

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

test('closes the connection to a server that never replies', async () => {
  const { url, sockets } = await startServer((socket) => socket.resume());
  const redis = open(url);
  // Long enough to connect on a busy machine.
  for (const count of [1, 2]) {
    expect((await errorOf(redis.send(['PING'], 250))).message).toBe('did not respond in time');
    await expect.poll(() => sockets.map(({ closed }) => closed)).toEqual(Array(count).fill(true));
  }
});

test.each(['HTTP/1.1 400 Bad Request\r\n\r\n', '\u0000\u0000', '+OK\r\n+OK\r\n+OK\r\n'])(
  'closes the connection to a server that replies %j',
  async (text) => {
    const { url, sockets } = await startServer((socket) => socket.on('data', () => socket.write(text)));
    await open(url)
      .send(['PING'], 100)
      .catch(() => {});
    while (!sockets[0]?.destroyed) await systemClock.sleep(5);
  },
);

test('cuts an error reply to its first word', async () => {
  const { url } = await startServer((socket) =>
    socket.on('data', () => socket.write("-ERR unknown command 'AUTH', with args: 'hush-hush'\r\n")),
  );
  const redis = open(url.replace('//', '//:hush-hush@'));
  const error = await errorOf(redis.send(['GET', 'a'], timeoutMs));
  expect(error.message).toBe('rejected the command (ERR)');
  expect(`${error.stack}${error.cause}`).not.toContain('hush');
});

test('leaves no connection open if it is closed while connecting or waiting', async () => {
  const { url, sockets } = await startServer((socket) => socket.resume());
  const connecting = open(url);
  const first = errorOf(connecting.send(['PING'], timeoutMs));
  connecting.close();
  expect((await first).message).toBe('was disconnected');
  expect((await errorOf(connecting.send(['PING'], timeoutMs))).message).toBe('was disconnected');
  const waiting = open(url);
  const second = errorOf(waiting.send(['PING'], timeoutMs));
  while (sockets.length === 0) await systemClock.sleep(5);
  waiting.close();
  expect((await second).message).toBe('was disconnected');
  for (const socket of sockets) if (!socket.destroyed) await once(socket, 'close');
});
