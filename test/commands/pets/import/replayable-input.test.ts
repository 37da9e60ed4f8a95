import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openReplayableInput } from '../../../../src/commands/pets/import/replayable-input.js';
import { makeDirectory } from '../../../../src/config/files.js';
import { Failure } from '../../../../src/failure.js';
import { interrupt } from '../../../support/interrupt.js';
import { temporaryDirectory } from '../../../support/petstore.js';

async function* chunksOf(...texts: readonly string[]) {
  for (const text of texts) yield Buffer.from(text);
}

function open(path: string, options: Partial<Parameters<typeof openReplayableInput>[1]> = {}) {
  const { signal } = new AbortController();
  return openReplayableInput(path, {
    directory: temporaryDirectory(),
    makeDirectory,
    id: '1',
    stdin: chunksOf,
    signal,
    ...options,
  });
}

async function read(input: Awaited<ReturnType<typeof open>>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of input.read()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test('a file can be read twice and has a digest', async () => {
  const path = join(temporaryDirectory(), 'pets.csv');
  writeFileSync(path, 'abc');
  const input = await open(path);
  expect(() => input.digest).toThrow('has not been read completely');
  expect([await read(input), await read(input)]).toEqual(['abc', 'abc']);
  expect(input.digest).toMatch(/^ba7816bf/);
  expect(input).toMatchObject({ name: path, isStream: false });
  await input.close();
});

test('standard input is spooled to an unlinked file', async () => {
  const directory = join(temporaryDirectory(), 'state');
  const input = await open('-', { directory, stdin: () => chunksOf('a'.repeat(100_000), 'b') });
  expect(readdirSync(directory)).toEqual([]);
  expect(input).toMatchObject({ name: 'standard input', isStream: true });
  expect(await read(input)).toHaveLength(100_001);
  expect(await read(input)).toHaveLength(100_001);
  await input.close();
});

test('a file left by a crashed process with the same id is replaced', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'input-1.tmp'), 'old');
  const input = await open('-', { directory, stdin: () => chunksOf('new') });
  expect(await read(input)).toBe('new');
  await input.close();
});

test('a link with the name of the temporary file is not followed', async () => {
  const directory = temporaryDirectory();
  const other = join(directory, 'other');
  writeFileSync(other, 'mine');
  symlinkSync(other, join(directory, 'input-1.tmp'));
  const input = await open('-', { directory, stdin: () => chunksOf('new') });
  expect([await read(input), readFileSync(other, 'utf8')]).toEqual(['new', 'mine']);
  await input.close();
});

test('a named pipe is spooled, too', async () => {
  const path = join(temporaryDirectory(), 'fifo');
  execFileSync('mkfifo', [path]);
  spawn('/bin/sh', ['-c', `printf abc > '${path}'`]);
  const input = await open(path);
  expect([await read(input), await read(input)]).toEqual(['abc', 'abc']);
  expect(input.isStream).toBe(true);
  await input.close();
});

test.each([
  ['has no writer', []],
  ['has a silent writer', ['-c', 'exec 3> "$0"; echo; exec sleep 60']],
])('an aborted signal ends the wait for a named pipe that %s', async (_, script) => {
  const path = join(temporaryDirectory(), 'fifo');
  execFileSync('mkfifo', [path]);
  const controller = new AbortController();
  const opening = open(path, { signal: controller.signal });
  if (script.length > 0) {
    const writer = spawn('/bin/sh', [...script, path]);
    onTestFinished(() => void writer.kill());
    await once(writer.stdout, 'data');
  }
  controller.abort(interrupt);
  await expect(opening).rejects.toBe(interrupt);
});

test.each([
  ['grew', (path: string) => appendFileSync(path, 'more')],
  ['shrank', (path: string) => truncateSync(path, 1)],
  [
    'changed without growing',
    (path: string) => {
      writeFileSync(path, 'abd');
      utimesSync(path, 1, 1);
    },
  ],
])('rejects a file that %s after the first read', async (_, change) => {
  const path = join(temporaryDirectory(), 'pets.csv');
  writeFileSync(path, 'abc');
  const input = await open(path);
  await read(input);
  change(path);
  await expect(read(input)).rejects.toMatchObject({ details: { code: 'changed_input' } });
  await input.close();
});

test('rejects a file that grows while it is read', async () => {
  const path = join(temporaryDirectory(), 'pets.csv');
  writeFileSync(path, 'x'.repeat(50_000));
  const input = await open(path);
  let left = 1;
  const reading = (async () => {
    for await (const _ of input.read()) {
      if (left > 0) appendFileSync(path, 'more');
      left -= 1;
    }
  })();
  await expect(reading).rejects.toMatchObject({ details: { code: 'changed_input' } });
  await input.close();
});

test.each([
  ['missing', 'no such file'],
  ['file/pets.csv', 'no such file'],
  ['', 'is a directory'],
])('rejects %j', async (name, message) => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'file'), '');
  await expect(open(join(directory, name))).rejects.toMatchObject({
    kind: 'usage',
    message: expect.stringContaining(message),
  });
});

test('an aborted signal stops reading', async () => {
  const path = join(temporaryDirectory(), 'pets.csv');
  writeFileSync(path, 'x'.repeat(200_000));
  const controller = new AbortController();
  const input = await open(path, { signal: controller.signal });
  const reason = new Failure('canceled', { code: 'cancelled', message: 'ended' });
  const reading = (async () => {
    for await (const _ of input.read()) controller.abort(reason);
  })();
  await expect(reading).rejects.toBe(reason);
  await input.close();
});
