import { once } from 'node:events';
import { createWriteStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { csvOf, read, summaryOf, writeInput } from '../support/imports.js';
import { newUser, openPipes, type User } from '../support/petstore.js';
import { startServeProcess } from '../support/serve-process.js';
import { startService } from '../support/test-server.js';

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

const unit = fc.constantFrom(...'=+-@\'",;\t\r\n a1é\\\u202e\u001b\ufeff', ...['🐕', '👩‍👧']);
const names = fc.string({ unit, minLength: 1, maxLength: 12 }).map((text) => `${text}x`);
const pets = fc.array(
  fc.record({
    name: fc.oneof(names, fc.constantFrom('=1+1', '"quoted"', 'two\nlines', 'two\r\nlines', '😀', "'tis")),
    categoryId: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    status: fc.constantFrom('available', 'pending', 'sold', undefined),
  }),
  { minLength: 300, maxLength: 300 },
);

/** Returns the sorted records without their ids, which every server assigns. */
function withoutIds(ndjson: string): readonly string[] {
  return ndjson
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/"id":\d+,/, ''))
    .sort();
}

test('an export and an import in every format keep all fields but the ids', async () => {
  const user = newUser();
  const source = await startServeProcess(...unlimited);
  const [sample = []] = fc.sample(pets, 1);
  const lines = sample.map(({ name, categoryId, status }) => {
    const rest = status === undefined ? '' : `,"status":"${status}"`;
    return `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${rest}}`;
  });
  const first = await user.run(['pets', 'import', '-', '--json'], {
    env: source.env,
    input: lines.join('\n'),
  });
  expect(summaryOf(first)).toMatchObject({ added: 300 });
  const { stdout: original } = await user.run(['pets', 'export'], { env: source.env });
  expect(withoutIds(original)).toHaveLength(372);
  for (const name of ['pets.csv', 'pets.json', 'pets.ndjson', 'pets.tsv']) {
    const copy = await startServeProcess(...unlimited);
    const path = join(user.home, name);
    expect((await user.run(['pets', 'export', path], { env: source.env })).exitCode).toBe(0);
    const imported = await user.run(['pets', 'import', path, '--json'], { env: copy.env });
    expect(summaryOf(imported)).toMatchObject({ added: 372 });
    const { stdout } = await user.run(['pets', 'export'], { env: copy.env });
    expect(withoutIds(stdout)).toEqual([...withoutIds(original), ...withoutIds(await samplePets(user))].sort());
    await copy.stop();
  }
  const copy = await startServeProcess(...unlimited);
  const out = openPipes(user, ['pets', 'export', '-', '-o', 'csv'], source.env);
  const input = openPipes(user, ['pets', 'import', '-', '--json'], copy.env);
  out.child.stdout.pipe(input.child.stdin);
  expect(summaryOf((await input.ended) as never)).toMatchObject({ added: 372 });
}, 180_000);

/** Resolves to the sample pets of a new server. */
async function samplePets(user: User): Promise<string> {
  const { env, stop } = await startServeProcess(...unlimited);
  const { stdout } = await user.run(['pets', 'export'], { env });
  await stop();
  return stdout;
}

test('an import with a key that no other process uses is never rate limited', async () => {
  const user = newUser();
  const limits = { perMinute: 60, perDay: 1_000_000 };
  const { env, statuses } = await startService({
    limits,
    minuteMs: 3_000,
  });
  const path = writeInput(user, 'pets.csv', csvOf(400));
  const run = await user.run(['pets', 'import', path, '--json'], { env });
  expect(summaryOf(run)).toMatchObject({ added: 400 });
  expect(statuses.filter((status) => status !== 201)).toEqual([]);
  expect(summaryOf(run).seconds).toBeGreaterThan(6 * 3 - 1);
}, 120_000);
