import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readLine, writeLine } from '../../src/quota/ledger-file.js';
import { temporaryDirectory } from '../support/petstore.js';

const newFile = () => join(temporaryDirectory(), 'a.json');

/** Writes one line, changes the file, and tells whether another line was then added to it. */
function isAppended(change: (file: string) => void): boolean {
  const file = newFile();
  writeLine(file, 'first', 1);
  change(file);
  const { ino } = statSync(file);
  writeLine(file, 'Zoë 🐕', 1);
  expect(readLine(file)).toBe('Zoë 🐕');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(dirname(file))).toEqual(['a.json']);
  return statSync(file).ino === ino;
}

test('a line is added to those before it', () => {
  expect(isAppended(() => {})).toBe(true);
});

test('what a killed process has left of its line is none', () => {
  const leave = (file: string) => {
    appendFileSync(file, '\n{"half');
    expect(readLine(file)).toBe('first');
  };
  expect(isAppended(leave)).toBe(true);
});

test.each([
  ['that is long', (file: string) => writeFileSync(file, `${'x'.repeat(20_000)}\n`)],
  ['that others may read', (file: string) => chmodSync(file, 0o644)],
  ['that is read-only', (file: string) => chmodSync(file, 0o400)],
])('a file %s is replaced', (_, change) => {
  expect(isAppended(change)).toBe(false);
});

test('a file does not grow for ever', () => {
  const file = newFile();
  for (let index = 0; index < 500; index += 1) writeLine(file, `${index} ${'x'.repeat(300)}`, 1);
  expect(readLine(file)).toMatch(/^499 x+$/);
  expect(statSync(file).size).toBeLessThan(20_000);
});

test('where there is no file there is no line, and a text without end is one', () => {
  const file = newFile();
  expect(readLine(file)).toBeUndefined();
  writeFileSync(file, '{}');
  expect(readLine(file)).toBe('{}');
  writeFileSync(file, '\n');
  expect(readLine(file)).toBe('');
});

test('what is no file is not read', () => {
  expect(() => readLine(temporaryDirectory())).toThrow('is no file');
});

test('who reads while another process writes reads one of its lines, whole', async () => {
  const file = newFile();
  const lines = ['a', 'b'].map((letter) => letter.repeat(3_000));
  writeLine(file, lines[0] as string, 1);
  const writer = spawn(process.execPath, [
    '-e',
    `const fs = require('node:fs');
    const file = ${JSON.stringify(file)};
    console.log('writes');
    for (;;) for (const letter of 'ab') {
      const line = letter.repeat(3_000) + '\\n';
      if (fs.statSync(file).size < 16_000) fs.appendFileSync(file, '\\n' + line);
      else {
        fs.writeFileSync(file + '.new', line);
        fs.renameSync(file + '.new', file);
      }
    }`,
  ]);
  onTestFinished(async () => {
    writer.kill('SIGKILL');
    await once(writer, 'close');
  });
  await once(writer.stdout, 'data');
  let reads = 0;
  for (const end = Date.now() + 500; Date.now() < end; reads += 1) {
    expect(lines).toContain(readLine(file));
  }
  expect(reads).toBeGreaterThan(100);
});
