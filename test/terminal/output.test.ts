import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createStyle, openFileDescriptor, openOutput, wantsColor } from '../../src/terminal/output.js';
import { failureOf } from '../support/test-client.js';

describe('openOutput', () => {
  test('resolves a write once the stream has taken the text', async () => {
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

  test('writes each text through the filter and skips empty text', async () => {
    const { stream, written } = openFast();
    const output = openOutput(stream, { filter: (text) => text.toUpperCase() });
    await Promise.all([output.write('a'), output.write(''), output.write('b')]);
    expect(written).toEqual(['A', 'B']);
  });

  test.each(['EPIPE', 'ECONNRESET'])('ignores writes after the reader has closed the pipe (%s)', async (code) => {
    const { stream, attempts } = openFailing(code);
    const output = openOutput(stream);
    expect(output.isClosed).toBe(false);
    await output.write('a\n');
    expect(output.isClosed).toBe(true);
    await output.write('b\n');
    expect(attempts()).toBe(1);
  });

  test('ignores a pipe that was closed between writes', async () => {
    const { stream } = openFast();
    const output = openOutput(stream);
    stream.destroy(Object.assign(new Error('gone'), { code: 'EPIPE' }));
    await settled();
    await output.write('a');
    expect(output.isClosed).toBe(true);
  });

  test.each([
    ['ENOSPC', 'free some disk space'],
    ['EIO', undefined],
  ])('throws a system failure if an essential write fails: %s', async (code, hint) => {
    const output = openOutput(openFailing(code).stream);
    expect(await failureOf(output.write('a'))).toMatchObject({
      kind: 'system',
      message: `cannot write to standard output (${code})`,
      details: { code: 'cannot_write', hint },
    });
    expect(output.isClosed).toBe(true);
  });

  test('drops a notice that cannot be written', async () => {
    const output = openOutput(openFailing('ENOSPC').stream, { isEssential: false });
    await output.write('a');
    expect(output.isClosed).toBe(true);
  });

  test.each([
    ['of a pipe', {}, undefined, undefined],
    ['of a pipe with COLUMNS', {}, 100, undefined],
    ['of a terminal', { isTTY: true, columns: 120 }, undefined, 120],
    ['of a terminal with COLUMNS', { isTTY: true, columns: 120 }, 100, 100],
    ['of a terminal that reports 0', { isTTY: true, columns: 0 }, undefined, 80],
  ])('returns the width %s', (_, shape, columns, expected) => {
    const output = openOutput(Object.assign(openFast().stream, shape), { columns });
    expect(output.columns).toBe(expected);
    expect(output.isTerminal).toBe('isTTY' in shape);
  });
});

describe('openFileDescriptor', () => {
  test('writes to a file through the filter without a stream', async () => {
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

  test('uses the stream of a terminal', () => {
    const stream = Object.assign(openFast().stream, { isTTY: true, columns: 120 });
    const output = openFileDescriptor(openDescriptorOf('/dev/zero', 'w'), () => stream);
    expect(output.isTerminal).toBe(true);
    expect(output.columns).toBe(120);
  });

  test('opens no stream for /dev/null', async () => {
    const output = openFileDescriptor(openDescriptorOf('/dev/null', 'w'), unneeded);
    expect(output.isTerminal).toBe(false);
    await output.write('a');
  });

  test('ignores writes after the reader has closed the pipe', async () => {
    const { reader, writer } = openPipe();
    const output = openFileDescriptor(writer, unneeded);
    closeSync(reader);
    await output.write('a');
    expect(output.isClosed).toBe(true);
    await output.write('b');
  });

  test('continues on the stream once a pipe is full', async () => {
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

  test('throws a system failure once if an essential write fails', async () => {
    const descriptor = openDescriptorOf(join(openFolder(), 'out'), 'w');
    const output = openFileDescriptor(descriptor, unneeded);
    const notice = openFileDescriptor(descriptor, unneeded, { isEssential: false });
    await output.write('a');
    closeSync(descriptor);
    expect(await failureOf(output.write('b'))).toMatchObject({
      kind: 'system',
      message: 'cannot write to standard output (EBADF)',
      details: { code: 'cannot_write' },
    });
    await output.write('c');
    await notice.write('d');
    expect(notice.isClosed).toBe(true);
  });
});

describe('wantsColor', () => {
  test.each<[string, Record<string, string>, boolean, boolean]>([
    ['nothing said', {}, true, false],
    ['NO_COLOR', { NO_COLOR: '1' }, false, false],
    ['an empty NO_COLOR, which says nothing', { NO_COLOR: '' }, true, false],
    ['FORCE_COLOR', { FORCE_COLOR: '1' }, true, true],
    ['FORCE_COLOR=0', { FORCE_COLOR: '0' }, false, false],
    ['NO_COLOR and FORCE_COLOR', { NO_COLOR: '1', FORCE_COLOR: '1' }, false, false],
    ['TERM=dumb', { TERM: 'dumb' }, false, false],
    ['TERM=dumb and FORCE_COLOR', { TERM: 'dumb', FORCE_COLOR: '1' }, true, true],
  ])('with %s', (_, env, onTerminal, inPipe) => {
    expect(wantsColor({ mode: 'auto', isTerminal: true, env })).toBe(onTerminal);
    expect(wantsColor({ mode: 'auto', isTerminal: false, env })).toBe(inPipe);
  });

  test('a flag decides, whatever the environment says', () => {
    expect(wantsColor({ mode: 'always', isTerminal: false, env: { NO_COLOR: '1', TERM: 'dumb' } })).toBe(true);
    expect(wantsColor({ mode: 'never', isTerminal: true, env: { FORCE_COLOR: '1' } })).toBe(false);
  });
});

describe('createStyle', () => {
  test('colors text', async () => {
    const style = await createStyle({ mode: 'always', isTerminal: false, env: {} });
    expect(style.heading('id')).toBe('\u001b[1mid\u001b[22m');
    expect(style.dim('hint')).toBe('\u001b[2mhint\u001b[22m');
    expect(style.error('error:')).toBe('\u001b[1m\u001b[91merror:\u001b[39m\u001b[22m');
    expect(style.status('available')).toBe('\u001b[32mavailable\u001b[39m');
    expect(style.success('✓')).toBe('\u001b[32m✓\u001b[39m');
    expect(style.warning('!')).toBe('\u001b[95m!\u001b[39m');
    expect(style.status('pending')).toBe('\u001b[95mpending\u001b[39m');
    expect(style.status('sold')).toBe('sold');
  });

  test.each(['adopted', '__proto__'])('leaves the unknown status %j as it is', async (status) => {
    const style = await createStyle({ mode: 'always', isTerminal: true, env: {} });
    expect(style.status(status)).toBe(status);
  });

  test('without color, still shows selected text in reverse video and matches underlined', async () => {
    const { selected, match, ...others } = await createStyle({ mode: 'never', isTerminal: true, env: {} });
    for (const format of Object.values(others)) expect(format('sold')).toBe('sold');
    expect(selected('Rex')).toBe('\u001b[7mRex\u001b[27m');
    expect(match('ex')).toBe('\u001b[4mex\u001b[24m');
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

/** Opens a descriptor and closes it after the test. */
function openDescriptorOf(path: string, flags: string | number): number {
  const descriptor = openSync(path, flags);
  onTestFinished(() => {
    try {
      closeSync(descriptor);
    } catch {}
  });
  return descriptor;
}

/** Opens both ends of a non-blocking pipe. */
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

/** Returns a stream that completes a write when `take` is called. */
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
