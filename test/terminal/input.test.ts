import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { openInput } from '../../src/terminal/input.js';
import { failureOf } from '../support/test-client.js';

describe('openInput', () => {
  test('reads to the end', async () => {
    const input = openInput(() => Readable.from([Buffer.from('pets'), Buffer.from('_x')]));
    expect(Buffer.from(await input.read(6, new AbortController().signal)).toString()).toBe('pets_x');
  });

  test('reads an empty stream', async () => {
    expect(await openInput(() => Readable.from([])).read(0, new AbortController().signal)).toHaveLength(0);
  });

  test('throws a usage failure past the limit and stops reading', async () => {
    let taken = 0;
    const endless = function* () {
      for (;;) {
        taken += 1;
        yield Buffer.alloc(10);
      }
    };
    const input = openInput(() => Readable.from(endless(), { highWaterMark: 1 }));
    expect(await failureOf(input.read(25, new AbortController().signal))).toMatchObject({
      kind: 'usage',
      message: 'cannot read standard input: larger than 25 bytes',
      details: { code: 'unreadable_input' },
    });
    expect(taken).toBeLessThan(10);
  });

  test('throws a usage failure if the stream cannot be read', async () => {
    const stream = new Readable({
      read() {
        this.destroy(Object.assign(new Error('is a directory'), { code: 'EISDIR' }));
      },
    });
    expect(await failureOf(openInput(() => stream).read(10, new AbortController().signal))).toMatchObject({
      kind: 'usage',
      details: { code: 'unreadable_input' },
    });
  });

  test('is a terminal if the stream is one', () => {
    expect(openInput(() => Readable.from([])).isTerminal).toBe(false);
    expect(openInput(() => Object.assign(Readable.from([]), { isTTY: true })).isTerminal).toBe(true);
  });
});
