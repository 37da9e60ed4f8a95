import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openLogOutput } from '../../src/terminal/log-output.js';
import { temporaryDirectory } from '../support/petstore.js';

const formatDropped = (count: number) => `dropped ${count}`;
const line = 'x'.repeat(1_023);
/** More than a pipe and the log output hold. */
const floodCount = 5_000;

describe.skipIf(process.platform !== 'linux')('a log on a pipe (needs /proc)', () => {
  test('has the lines in their order', async () => {
    const { log, received } = openPipe();
    log('a');
    log('b');
    await expect.poll(received).toBe('a\nb\n');
  });

  test('has its last lines when the process ends', () => {
    const { log, end, received } = openPipe();
    log('a');
    end();
    expect(received()).toBe('a\n');
  });

  test('counts the lines that a stalled reader lost, without another line', async () => {
    const { log, received } = openPipe();
    await writeFlood(log);
    let text = '';
    const readMore = () => {
      text += received();
      return text;
    };
    await expect.poll(readMore).toMatch(/\ndropped \d+\n$/);
    const lines = text.trimEnd().split('\n');
    expect(countLines(lines)).toBe(floodCount);
    // At most what the pipe and the log output hold.
    expect(text.length).toBeLessThan(1_400_000);
    log('after');
    await expect.poll(received).toBe('after\n');
  });

  test('takes no more lines once its reader is gone', async () => {
    const { log, close } = openPipe();
    close();
    log('a');
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    log('b');
  });
});

/** Writes more lines than a log output keeps, in several turns of the event loop. */
async function writeFlood(log: (text: string) => void): Promise<void> {
  for (let count = 0; count < floodCount; count += 1) {
    log(line);
    if (count % 100 === 0) await new Promise(setImmediate);
  }
}

/** Returns the number of lines, those that were dropped included. */
function countLines(lines: readonly string[]): number {
  const dropped = lines.flatMap((text) => /^dropped (\d+)$/.exec(text)?.[1] ?? []);
  const whole = lines.filter((text) => text === line);
  expect(whole.length + dropped.length).toBe(lines.length);
  return whole.length + dropped.reduce((sum, count) => sum + Number(count), 0);
}

/** Opens a log on a pipe; `received` reads the pipe. */
function openPipe() {
  const path = join(temporaryDirectory(), 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY);
  let isReading = true;
  const close = () => {
    if (isReading) closeSync(reader);
    isReading = false;
  };
  onTestFinished(() => {
    close();
    closeSync(writer);
  });
  const chunk = Buffer.alloc(65_536);
  const received = () => {
    try {
      return chunk.toString('utf8', 0, readSync(reader, chunk));
    } catch (error) {
      expect(error).toMatchObject({ code: 'EAGAIN' });
      return '';
    }
  };
  let end = () => {};
  const log = openLogOutput(writer, {
    formatDropped,
    atExit: (flush) => {
      end = flush;
    },
    openStream: () => process.stderr,
  });
  return { log, end: () => end(), received, close };
}
