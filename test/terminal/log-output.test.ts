import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { openLogOutput } from '../../src/terminal/log-output.js';

/** Returns a log on a stream whose reader stalls until `read`, which returns everything that was written. */
function openLog() {
  let received = '';
  let isReading = false;
  let release = () => {};
  const stream = new Writable({
    write: (chunk, _, done) => {
      received += chunk;
      if (isReading) done();
      else release = done;
    },
  });
  const read = async () => {
    isReading = true;
    release();
    release = () => {};
    for (let turns = 0; turns < 10; turns += 1) await new Promise(setImmediate);
    return received;
  };
  return { stream, read, ...openLogOutput(stream, (count) => `dropped ${count}`) };
}

test('a log has the lines in their order, and the last ones when the process ends', async () => {
  const { write, flush, read } = openLog();
  write('a');
  write('b');
  flush();
  expect(await read()).toBe('a\nb\n');
});

test('a log keeps a megabyte for a reader that stalls, and counts the lines that it loses', async () => {
  const { write, read } = openLog();
  const line = 'x'.repeat(1_023);
  for (let count = 0; count < 5_000; count += 1) {
    write(line);
    if (count % 100 === 0) await new Promise(setImmediate);
  }
  const lines = (await read()).trimEnd().split('\n');
  const [, dropped] = /^dropped (\d+)$/.exec(lines.at(-1) ?? '') ?? [];
  expect(lines.slice(0, -1)).toEqual(Array(5_000 - Number(dropped)).fill(line));
  expect(lines.length * 1_024).toBeLessThan(1_300_000);
  write('after');
  expect(await read()).toMatch(/dropped \d+\nafter\n$/);
});

test('a log ignores that its reader is gone', async () => {
  const { stream, write, read } = openLog();
  stream.destroy(new Error('write EPIPE'));
  write('a');
  expect(await read()).toBe('');
});
