import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openInput } from '../../src/terminal/input.js';
import { openFileDescriptor, openOutput } from '../../src/terminal/output.js';
import { failureOf } from '../support/client.js';

describe('an output', () => {
  test('resolves only once the text was taken', async () => {
    const { stream, written, take } = openSlow();
    const output = openOutput(stream);
    let done = false;
    const writing = output.write('Rex\n').then(() => {
      done = true;
    });
    await settled();
    expect(written).toEqual(['Rex\n']);
    expect(done).toBe(false);
    take();
    await writing;
    expect(done).toBe(true);
  });

  test('writes texts in their order, each through the filter, and nothing for no text', async () => {
    const { stream, written } = openFast();
    const output = openOutput(stream, { filter: (text) => text.toUpperCase() });
    await Promise.all([output.write('a'), output.write(''), output.write('b')]);
    expect(written).toEqual(['A', 'B']);
  });

  test.each(['EPIPE', 'ECONNRESET'])('goes quiet once its reader is gone (%s)', async (code) => {
    const { stream, attempts } = openFailing(code);
    const output = openOutput(stream);
    expect(output.isClosed).toBe(false);
    await output.write('a\n');
    expect(output.isClosed).toBe(true);
    await output.write('b\n');
    expect(attempts()).toBe(1);
  });

  test('is quiet for every text that was on its way when its reader went', async () => {
    const output = openOutput(openFailing('EPIPE').stream);
    await Promise.all([output.write('a'), output.write('b'), output.write('c')]);
    expect(output.isClosed).toBe(true);
  });

  test('is quiet where its reader went while nothing was written', async () => {
    const { stream } = openFast();
    const output = openOutput(stream);
    stream.destroy(Object.assign(new Error('gone'), { code: 'EPIPE' }));
    await settled();
    await output.write('a');
    expect(output.isClosed).toBe(true);
  });

  test.each([
    ['ENOSPC', 'make room on the disk'],
    ['EIO', undefined],
  ])('fails (system) where an essential text cannot be written: %s', async (code, hint) => {
    const output = openOutput(openFailing(code).stream);
    expect(await failureOf(output.write('a'))).toMatchObject({
      kind: 'system',
      message: `the result cannot be written (${code})`,
      details: { code: 'unwritable_output', hint },
    });
    expect(output.isClosed).toBe(true);
  });

  test('does not fail where a notice cannot be written', async () => {
    const output = openOutput(openFailing('ENOSPC').stream, { isEssential: false });
    await output.write('a');
    expect(output.isClosed).toBe(true);
  });

  test.each([
    ['off a terminal', {}, undefined, undefined],
    ['off a terminal, by decree', {}, 100, undefined],
    ['on a terminal', { isTTY: true, columns: 120 }, undefined, 120],
    ['on a terminal, by decree', { isTTY: true, columns: 120 }, 100, 100],
    ['on a terminal that does not know', { isTTY: true }, undefined, 80],
    ['on a terminal that says nought', { isTTY: true, columns: 0 }, undefined, 80],
  ])('has columns %s', (_, shape, columns, expected) => {
    const output = openOutput(Object.assign(openFast().stream, shape), { columns });
    expect(output.columns).toBe(expected);
    expect(output.isTerminal).toBe('isTTY' in shape);
  });

  test('has the columns of now', () => {
    const stream = Object.assign(openFast().stream, { isTTY: true, columns: 120 });
    const output = openOutput(stream);
    stream.columns = 60;
    expect(output.columns).toBe(60);
  });
});

describe('an output on a descriptor', () => {
  test('writes to a file directly, in order, each text through the filter', async () => {
    const path = join(openFolder(), 'out');
    const descriptor = openDescriptorOf(path, 'w');
    const output = openFileDescriptor(descriptor, unneeded, {
      filter: (text) => text.toUpperCase(),
    });
    expect(output.isTerminal).toBe(false);
    expect(output.columns).toBeUndefined();
    await Promise.all([output.write('a'), output.write(''), output.write('b🐕')]);
    expect(readFileSync(path, 'utf8')).toBe('AB🐕');
    expect(output.isClosed).toBe(false);
  });

  test('leaves a terminal to its stream', () => {
    const stream = Object.assign(openFast().stream, { isTTY: true, columns: 120 });
    const output = openFileDescriptor(openDescriptorOf('/dev/zero', 'w'), () => stream);
    expect(output.isTerminal).toBe(true);
    expect(output.columns).toBe(120);
  });

  test('needs no stream where nothing is kept', async () => {
    const output = openFileDescriptor(openDescriptorOf('/dev/null', 'w'), unneeded);
    expect(output.isTerminal).toBe(false);
    await output.write('a');
  });

  test('goes quiet once the reader of its pipe is gone', async () => {
    const { reader, writer } = openPipe();
    const output = openFileDescriptor(writer, unneeded);
    closeSync(reader);
    await output.write('a');
    expect(output.isClosed).toBe(true);
    await output.write('b');
  });

  test('gives what a full pipe does not take to the stream, and all that follows', async () => {
    const { reader, writer } = openPipe();
    const { stream, written } = openFast();
    const output = openFileDescriptor(writer, () => stream);
    const long = 'x'.repeat(1_000_000);
    await Promise.all([output.write(`${long}1`), output.write('2')]);
    const taken = Buffer.alloc(1_000_000);
    const size = readSync(reader, taken);
    expect(size).toBeGreaterThan(0);
    expect(taken.toString('utf8', 0, size) + written.join('')).toBe(`${long}12`);
  });

  test('fails (system) where an essential text cannot be written, once', async () => {
    const descriptor = openDescriptorOf(join(openFolder(), 'out'), 'w');
    const output = openFileDescriptor(descriptor, unneeded);
    const notice = openFileDescriptor(descriptor, unneeded, { isEssential: false });
    await output.write('a');
    closeSync(descriptor);
    expect(await failureOf(output.write('b'))).toMatchObject({
      kind: 'system',
      message: 'the result cannot be written (EBADF)',
      details: { code: 'unwritable_output' },
    });
    await output.write('c');
    await notice.write('d');
    expect(notice.isClosed).toBe(true);
  });
});

describe('an input', () => {
  test('is read to its end', async () => {
    const input = openInput(Readable.from([Buffer.from('pets'), Buffer.from('_x')]));
    expect(Buffer.from(await input.read(6, new AbortController().signal)).toString()).toBe(
      'pets_x',
    );
  });

  test('may be empty', async () => {
    expect(await openInput(Readable.from([])).read(0, new AbortController().signal)).toHaveLength(
      0,
    );
  });

  test('fails (usage) past its bound, and reads no further', async () => {
    let taken = 0;
    const endless = function* () {
      for (;;) {
        taken += 1;
        yield Buffer.alloc(10);
      }
    };
    const input = openInput(Readable.from(endless(), { highWaterMark: 1 }));
    expect(await failureOf(input.read(25, new AbortController().signal))).toMatchObject({
      kind: 'usage',
      message: 'standard input cannot be read: it holds more than 25 bytes',
      details: { code: 'unreadable_input' },
    });
    expect(taken).toBeLessThan(10);
  });

  test('fails (usage) where it cannot be read, as a directory cannot', async () => {
    const stream = new Readable({
      read() {
        this.destroy(Object.assign(new Error('is a directory'), { code: 'EISDIR' }));
      },
    });
    expect(await failureOf(openInput(stream).read(10, new AbortController().signal))).toMatchObject(
      {
        kind: 'usage',
        details: { code: 'unreadable_input' },
      },
    );
  });

  test('is a terminal where the stream is one', () => {
    expect(openInput(Readable.from([])).isTerminal).toBe(false);
    expect(openInput(Object.assign(Readable.from([]), { isTTY: true })).isTerminal).toBe(true);
  });
});

function unneeded(): never {
  throw new Error('the stream is not needed');
}

function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Closed after the test, unless the test closed it. */
function openDescriptorOf(path: string, flags: string | number): number {
  const descriptor = openSync(path, flags);
  onTestFinished(() => {
    try {
      closeSync(descriptor);
    } catch {}
  });
  return descriptor;
}

/** The two ends of a pipe, neither of which waits for the other. */
function openPipe(): { readonly reader: number; readonly writer: number } {
  const path = join(openFolder(), 'pipe');
  execFileSync('sh', ['-c', 'mkfifo "$0"', path]);
  const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
  const reader = openDescriptorOf(path, O_RDONLY | O_NONBLOCK);
  return { reader, writer: openDescriptorOf(path, O_WRONLY | O_NONBLOCK) };
}

function openFast() {
  const written: string[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      written.push(String(chunk));
      done();
    },
  });
  return { stream, written };
}

/** Takes a text only when it is told to. */
function openSlow() {
  const written: string[] = [];
  let take = () => {};
  const stream = new Writable({
    write(chunk, _, done) {
      written.push(String(chunk));
      take = done;
    },
  });
  return { stream, written, take: () => take() };
}

function openFailing(code: string) {
  let attempts = 0;
  const stream = new Writable({
    write(_chunk, _, done) {
      attempts += 1;
      done(Object.assign(new Error(code), { code }));
    },
  });
  return { stream, attempts: () => attempts };
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
