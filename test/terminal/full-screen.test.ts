import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type FullScreenView, type KeyPress, openFullScreen } from '../../src/terminal/full-screen.js';
import { fakeClock } from '../support/clock.js';
import { foregroundJob, plainStyle } from '../support/test-terminal.js';

const enter = '\u001b[?1049h\u001b[?25l';
const leave = '\u001b[?1049l\u001b[?25h';

/** Shows a view on a terminal made of streams. `q` closes it. */
async function open(view: Partial<FullScreenView>, suspended = Promise.resolve()) {
  const clock = fakeClock();
  const written: string[] = [];
  const modes: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => modes.push(isRaw) });
  const stderr = Object.assign(new PassThrough(), { columns: 40, rows: 10 });
  stderr.write = ((text: string) => written.push(text)) as never;
  const canceler = new AbortController();
  const screen = openFullScreen({
    isInteractive: true,
    disableReason: undefined,
    clock,
    stdin: stdin as never,
    stderr: stderr as never,
    style: async () => plainStyle,
    signal: canceler.signal,
    host: { on: () => process, off: () => process },
    openJobControl: async () => ({ ...foregroundJob, suspend: () => suspended }),
  });
  const answer = screen.run({ draw: () => ['shown'], onKey: ({ text }: KeyPress) => text === 'q', ...view });
  answer.catch(() => {});
  await setImmediate();
  const type = async (keys: string) => {
    stdin.write(keys);
    await setImmediate();
    await setImmediate();
  };
  return { answer, type, written, modes, clock, screen, stderr, abort: (reason: Error) => canceler.abort(reason) };
}

describe('openFullScreen', () => {
  test('enters the alternate screen in raw mode, draws the view at once and leaves it', async () => {
    const { answer, type, written, modes } = await open({ draw: () => ['one', 'two'] });
    const frame = '\u001b[?2026h\u001b[?7l\u001b[Hone\u001b[K\r\ntwo\u001b[K\u001b[J\u001b[?7h\u001b[?2026l';
    expect(written).toEqual([enter, frame]);
    await type('q');
    await answer;
    expect(written.at(-1)).toBe(leave);
    expect(modes).toEqual([true, false]);
  });

  test('draws once on request, on a resize and every second', async () => {
    let count = 0;
    const draw = () => [`drawing ${++count}`];
    const { screen, stderr, clock } = await open({ draw });
    screen.redraw();
    screen.redraw();
    await setImmediate();
    expect(count).toBe(2);
    stderr.emit('resize');
    await setImmediate();
    expect(count).toBe(3);
    clock.advance(1_000);
    await setImmediate();
    await setImmediate();
    expect(count).toBe(4);
  });

  test('writes nothing between Ctrl-Z and fg', async () => {
    let resume = () => {};
    const suspended = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const { type, screen, written, modes } = await open({}, suspended);
    await type('\u001a');
    expect(written.at(-1)).toBe(leave);
    expect(modes).toEqual([true, false]);
    const before = written.length;
    screen.redraw();
    await type('x');
    expect(written.slice(before)).toEqual([]);
    resume();
    await setImmediate();
    expect(written[before]).toBe(enter);
    expect(written[before + 1]).toContain('shown');
    expect(modes).toEqual([true, false, true]);
  });

  test.each<[string, Partial<FullScreenView>, string, RegExp]>([
    ['a key throws', { onKey: () => fail() }, 'x', /broken/],
    ['Ctrl-C is pressed', {}, '\u0003', /canceled/],
  ])('leaves the alternate screen if %s', async (_, view, keys, message) => {
    const { answer, type, written } = await open(view);
    await type(keys);
    await expect(answer).rejects.toThrow(message);
    expect(written.at(-1)).toBe(leave);
  });

  test('leaves the alternate screen on a signal', async () => {
    const { answer, written, abort } = await open({});
    abort(new Error('terminated'));
    await expect(answer).rejects.toThrow('terminated');
    expect(written.at(-1)).toBe(leave);
  });

  test('copies with OSC 52 in base64', async () => {
    const { written, screen } = await open({});
    screen.copyToClipboard('9223372036854775807');
    expect(written.at(-1)).toBe(`\u001b]52;c;${btoa('9223372036854775807')}\u0007`);
  });
});

test('names keys, and gives characters as text', async () => {
  const keys: KeyPress[] = [];
  const { type } = await open({ onKey: (key) => keys.push(key) < 0 });
  for (const key of ['\r', '\u001b[6~', '\u001b[Z', '\u000e', 'A', '🦊', '\u200d', '\u202e', '\u001bx'])
    await type(key);
  const names = ['return', 'pagedown', 'shift+tab', 'ctrl+n'].map((name) => ({ name }));
  const texts = ['A', '🦊', '\u200d'].map((text) => ({ name: '', text }));
  expect(keys).toEqual([...names, ...texts, { name: '' }, { name: 'x' }]);
});

function fail(): never {
  throw new Error('broken');
}
