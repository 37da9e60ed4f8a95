import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newUser, preloadEnv } from '../support/petstore.js';

const preload = join(import.meta.dirname, '../support/windows-files.cjs');
const addRex = ['pets', 'add', '--name', 'Rex', '--category-id', '1'];

/** Environment in which petstore meets a fault of Windows this often. */
function withFault(fault: string, count: number) {
  return { ...preloadEnv(preload), WINDOWS_FILES: `${fault}:${count}` };
}

test.each([
  ['the quota state is open', 'rename'],
  ['its lock is being deleted', 'delete'],
])('shares the quota although %s in another process', async (_, fault) => {
  const { run } = newUser();
  await run(addRex);
  const { stderr, exitCode } = await run(addRex, { env: withFault(fault, 6) });
  expect(stderr).toMatch(/^✓ Added Rex \(id 74\) to sandbox\nsandbox · 58 of 60 requests left/);
  expect(exitCode).toBe(0);
});

test('replaces an export that another program has open for a moment', async () => {
  const { home, run } = newUser();
  const path = join(home, 'pets.csv');
  writeFileSync(path, 'old');
  const { exitCode } = await run(['pets', 'export', path, '--force'], { env: withFault('rename', 3) });
  expect(exitCode).toBe(0);
  expect(readFileSync(path, 'utf8')).toContain('Ada');
});

test('keeps the old file of an export that another program has open', async () => {
  const { home, run } = newUser();
  const path = join(home, 'pets.csv');
  writeFileSync(path, 'old');
  const { stderr, exitCode } = await run(['pets', 'export', path, '--force'], { env: withFault('rename', 100_000) });
  expect(stderr).toMatch(/cannot write \S+pets\.csv \((EPERM|EBUSY)\)/);
  expect(exitCode).toBe(1);
  expect(readFileSync(path, 'utf8')).toBe('old');
  expect(readdirSync(home).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('resumes an import whose journal ends in a torn line', async () => {
  const { home, run } = newUser();
  const input = join(home, 'pets.csv');
  const journal = join(home, 'pets.journal');
  writeFileSync(input, 'name,categoryId\nRex,1\nMia,2\n');
  const line = ['pets', 'import', input, '--journal', journal, '--yes', '--json'];
  await run(line);
  appendFileSync(journal, '+1');
  const { stdout, exitCode } = await run(line, { env: withFault('truncate', 100) });
  expect(JSON.parse(stdout)).toMatchObject({ added: 0, skipped: 2 });
  expect(exitCode).toBe(0);
  expect(existsSync(`${journal}.lock`)).toBe(false);
});
