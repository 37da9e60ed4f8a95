import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openReplayableInput } from '../../../../src/commands/pets/import/replayable-input.js';
import { makeDirectory } from '../../../../src/config/make-directory.js';
import { Failure } from '../../../../src/failure.js';
import { temporaryDirectory } from '../../../support/petstore.js';

async function* pieces(...texts: readonly string[]) {
  for (const text of texts) yield Buffer.from(text);
}

function open(path: string, options: Partial<Parameters<typeof openReplayableInput>[1]> = {}) {
  const { signal } = new AbortController();
  return openReplayableInput(path, {
    directory: temporaryDirectory(),
    makeDirectory,
    id: '1',
    stdin: pieces,
    signal,
    ...options,
  });
}

async function read(source: Awaited<ReturnType<typeof open>>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source.read()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test('a file is read twice, and known by its digest', async () => {
  const path = join(temporaryDirectory(), 'pets.csv');
  writeFileSync(path, 'abc');
  const source = await open(path);
  expect(() => source.digest).toThrow('was not read whole');
  expect([await read(source), await read(source)]).toEqual(['abc', 'abc']);
  expect(source.digest).toMatch(/^ba7816bf/);
  expect(source.name).toBe(path);
  await source.close();
});

test('standard input is kept aside, where nobody sees it, also from the start', async () => {
  const directory = join(temporaryDirectory(), 'state');
  const source = await open('-', { directory, stdin: () => pieces('a'.repeat(100_000), 'b') });
  expect(readdirSync(directory)).toEqual([]);
  expect(source.name).toBe('standard input');
  expect(await read(source)).toHaveLength(100_001);
  expect(await read(source)).toHaveLength(100_001);
  await source.close();
});

test('what a process of the same id has left is no hindrance', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'input-1.tmp'), 'old');
  const source = await open('-', { directory, stdin: () => pieces('new') });
  expect(await read(source)).toBe('new');
  await source.close();
});

test('a pipe with a name is read once, and kept aside too', async () => {
  const path = join(temporaryDirectory(), 'fifo');
  execFileSync('mkfifo', [path]);
  spawn('/bin/sh', ['-c', `printf abc > '${path}'`]);
  const source = await open(path);
  expect([await read(source), await read(source)]).toEqual(['abc', 'abc']);
  await source.close();
});

test.each([
  ['grew', (path: string) => appendFileSync(path, 'more')],
  ['shrank', (path: string) => truncateSync(path, 1)],
])('a file that %s since it was checked is refused', async (_, change) => {
  const path = join(temporaryDirectory(), 'pets.csv');
  writeFileSync(path, 'abc');
  const source = await open(path);
  await read(source);
  change(path);
  await expect(read(source)).rejects.toMatchObject({ details: { code: 'changed_input' } });
  await source.close();
});

test('a file that grows while it is read is refused', async () => {
  const path = join(temporaryDirectory(), 'pets.csv');
  writeFileSync(path, 'x'.repeat(50_000));
  const source = await open(path);
  let left = 1;
  const reading = (async () => {
    for await (const _ of source.read()) {
      if (left > 0) appendFileSync(path, 'more');
      left -= 1;
    }
  })();
  await expect(reading).rejects.toMatchObject({ details: { code: 'changed_input' } });
  await source.close();
});

test.each([
  ['missing', 'there is no such file'],
  ['', 'it is a directory'],
])('%j cannot be read', async (name, message) => {
  await expect(open(join(temporaryDirectory(), name))).rejects.toMatchObject({
    kind: 'usage',
    message: expect.stringContaining(message),
  });
});

test('a signal ends the reading', async () => {
  const path = join(temporaryDirectory(), 'pets.csv');
  writeFileSync(path, 'x'.repeat(200_000));
  const controller = new AbortController();
  const source = await open(path, { signal: controller.signal });
  const reason = new Failure('canceled', { code: 'cancelled', message: 'ended' });
  const reading = (async () => {
    for await (const _ of source.read()) controller.abort(reason);
  })();
  await expect(reading).rejects.toBe(reason);
  await source.close();
});
