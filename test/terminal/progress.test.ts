import { Writable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { toSafeText } from '../../src/format/safe-text.js';
import { startSpinner } from '../../src/terminal/progress.js';
import { createScreenReaderTerminal, type Terminal } from '../../src/terminal/terminal.js';
import { fakeClock } from '../support/clock.js';
import { waitUntil } from '../support/imports.js';
import { expectSafe, hostileText } from '../support/text-samples.js';

test('a spinner escapes its text and never hides the cursor', async () => {
  await fc.assert(
    fc.asyncProperty(hostileText, async (text) => {
      const { stream, output } = screen();
      const wait = startSpinner({
        stream,
        text: () => toSafeText(`Waiting for ${text}`),
        clock: hasty,
      });
      await waitUntil(() => output().includes('Waiting for'));
      await wait.stop();
      expect(output()).not.toContain('\u001b[?25l');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: matches escape sequences
      expectSafe(output().replace(/\u001b\[(?:\d*[A-GK]|\?(?:7|2026)[hl])/g, ''));
    }),
    { numRuns: 30 },
  );
});

test('a short wait shows no spinner', async () => {
  const { stream, output } = screen();
  await startSpinner({ stream, text: () => toSafeText('Waiting'), clock: systemClock }).stop();
  expect(output()).toBe('');
});

test('a spinner refreshes its text every second', async () => {
  const { stream, output } = screen();
  let left = 9;
  const words = () => toSafeText(`waiting ${left--}s`);
  const wait = startSpinner({ stream, text: words, clock: hasty });
  await waitUntil(() => output().includes('waiting 7s'));
  await wait.stop();
  expect(output()).toMatch(/waiting 9s.*waiting 8s.*waiting 7s/s);
});

test('a spinner assumes 80 columns if the terminal has no width', async () => {
  const { stream, output } = screen();
  stream.columns = 0;
  const wait = startSpinner({ stream, text: () => toSafeText('Waiting for a store'), clock: hasty });
  await waitUntil(() => output().includes('Waiting for a store'));
  await wait.stop();
  expect(output().length).toBeLessThan(10_000);
});

test('a screen-reader terminal prints a long wait as periodic lines', async () => {
  const clock = fakeClock();
  const lines: string[] = [];
  const terminal = {
    canRedraw: true,
    stderr: { write: async (line: string) => void lines.push(line) },
  } as unknown as Terminal;
  const wait = createScreenReaderTerminal(terminal, clock).startSpinner(() => toSafeText('Waiting for a store'));
  const pass = async (ms: number) => {
    clock.advance(ms);
    await new Promise(setImmediate);
    return lines.length;
  };
  expect([await pass(900), await pass(200), await pass(10_000), await pass(5_000)]).toEqual([0, 1, 1, 2]);
  await wait.stop();
  expect(await pass(60_000)).toBe(2);
  expect(lines[0]).toBe('Waiting for a store\n');
});

/** A clock five times as fast. */
const hasty = {
  now: systemClock.now,
  sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms / 5, signal),
};

function screen() {
  let text = '';
  const stream = Object.assign(
    new Writable({
      write: (chunk, _, done) => {
        text += chunk;
        done();
      },
    }),
    {
      isTTY: true,
      columns: 400,
      cursorTo: () => stream.write('\u001b[1G'),
      clearLine: () => stream.write('\u001b[2K'),
      moveCursor: () => stream.write('\u001b[1A'),
    },
  ) as unknown as NodeJS.WriteStream;
  return { stream, output: () => text };
}
