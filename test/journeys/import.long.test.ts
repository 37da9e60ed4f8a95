import { once } from 'node:events';
import { createWriteStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { csvOf, read, summaryOf, writeInput } from '../support/imports.js';
import { newUser, openPipes, type User } from '../support/petstore.js';
import { startServeProcess } from '../support/serve-process.js';

const unlimited = ['--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '100000000'];

/** Returns the peak memory of a process in megabytes, or 0 if it has ended. */
function peakMemoryOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

test('an import of a million rows uses less than 500 MB', async () => {
  const user = newUser();
  const { env } = await startServeProcess(...unlimited);
  const path = join(user.home, 'pets.csv');
  await writeMillion(path);
  const { child, ended } = openPipes(user, ['pets', 'import', path, '--json'], env);
  while (!hasSent(user)) await systemClock.sleep(50);
  await systemClock.sleep(3_000);
  const peak = peakMemoryOf(child.pid);
  process.stdout.write(`a million rows: ${peak.toFixed(0)} MB\n`);
  child.kill('SIGINT');
  const run = await ended;
  expect(run.exitCode).toBe(130);
  expect(summaryOf(run as never).added).toBeGreaterThan(100);
  expect(peak).toBeLessThan(500);
}, 180_000);

async function writeMillion(path: string): Promise<void> {
  const file = createWriteStream(path);
  file.write('name,categoryId,status\n');
  for (let row = 0; row < 1_000_000; row += 1_000) {
    const lines = Array.from({ length: 1_000 }, (_, index) => `Pet ${row + index},7,available\n`);
    if (!file.write(lines.join(''))) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
}

/** Returns whether a request was sent, which creates the quota state. */
function hasSent({ home }: User): boolean {
  return existsSync(join(home, '.local/state/petstore/quota'));
}

test('an export of 20,000 pets uses less than 150 MB', async () => {
  const from = newUser();
  const { env } = await startServeProcess(...unlimited);
  const path = writeInput(from, 'pets.csv', csvOf(20_000, 'An animal whose name takes some room'));
  const imported = await from.run(['pets', 'import', path, '--json'], {
    env,
  });
  expect(summaryOf(imported)).toMatchObject({ added: 20_000 });
  const file = join(from.home, 'all.json');
  const { child, ended } = openPipes(from, ['pets', 'export', file], env);
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, peakMemoryOf(child.pid));
  }, 10);
  expect((await ended).exitCode).toBe(0);
  clearInterval(timer);
  process.stdout.write(`export: ${peak.toFixed(0)} MB\n`);
  expect(peak).toBeLessThan(150);
  expect(JSON.parse(read(file))).toHaveLength(20_072);
}, 180_000);
