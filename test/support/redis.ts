import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { good, key } from './certificates.js';
import { freePort } from './http-server.js';
import { temporaryDirectory } from './petstore.js';
import { isInstalled } from './programs.js';

/** True if redis-server is installed; tests that need it name it in their titles. */
export const hasRedis = isInstalled('redis-server');

/** A running Redis server. */
export interface TestRedis {
  readonly url: string;
  readonly port: number;
  /** Kills it without warning. */
  kill(): Promise<void>;
  /** Stops it from responding, as a silent network does. */
  freeze(): void;
}

/** Starts a Redis without persistence that stops with the test. */
export async function startRedis(...args: readonly string[]): Promise<TestRedis> {
  const port = await freePort();
  return startRedisAt(port, ['--port', String(port), ...args]);
}

/** Starts a Redis with TLS and the test certificate for 127.0.0.1. */
export async function startEncryptedRedis(...args: readonly string[]): Promise<TestRedis> {
  const folder = temporaryDirectory();
  const [keyFile, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  writeFileSync(keyFile, key);
  writeFileSync(certificate, good);
  const port = await freePort();
  const { url, ...redis } = await startRedisAt(port, [
    ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'],
    ...['--tls-key-file', keyFile, '--tls-cert-file', certificate],
    ...args,
  ]);
  return { ...redis, url: url.replace('redis:', 'rediss:') };
}

async function startRedisAt(port: number, args: readonly string[]): Promise<TestRedis> {
  const folder = temporaryDirectory();
  const child = await launch(folder, args);
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    url: `redis://127.0.0.1:${port}/0`,
    port,
    kill: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    freeze: () => void child.kill('SIGSTOP'),
  };
}

async function launch(folder: string, args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(
    'redis-server',
    [
      ...['--bind', '127.0.0.1', '--dir', folder],
      ...['--save', '', '--appendonly', 'no', '--daemonize', 'no', ...args],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let log = '';
  child.stdout.on('data', (chunk) => {
    log += chunk;
  });
  while (!log.includes('Ready to accept connections')) {
    if (child.exitCode !== null) throw new Error(`redis-server ended: ${log}`);
    await systemClock.sleep(5);
  }
  return child;
}
