import { setImmediate } from 'node:timers/promises';
import { render } from '@inquirer/testing';
import { describe, expect, test, vi } from 'vitest';
import { type FullScreen, openFullScreen, supportsClipboard } from '../../src/terminal/full-screen.js';
import type { SuspendableView } from '../../src/terminal/job-control.js';
import type { KeyPress } from '../../src/terminal/key-press.js';
import type { FullScreenView } from '../../src/terminal/view-prompt.js';
import { fakeClock } from '../support/clock.js';
import { foregroundJob } from '../support/job-control.js';
import { plainStyle } from '../support/plain-style.js';

/** Shows a view on a terminal made of streams. */
async function open(
  show: Partial<FullScreenView>,
  { signal = new AbortController().signal, jobControl = foregroundJob } = {},
) {
  const clock = fakeClock();
  const held: string[] = [];
  const written: string[] = [];
  let screen: FullScreen | undefined;
  const prompt = (_: object, context: { input?: unknown; output?: unknown } = {}) => {
    const output = context.output as NodeJS.WriteStream;
    const write = output.write.bind(output) as (text: string) => boolean;
    output.write = ((text: string) => {
      written.push(text);
      return write(text);
    }) as never;
    // Like process.stdin, the stream stays open.
    output.end = (() => output) as never;
    screen = openFullScreen({
      isInteractive: true,
      disableReason: undefined,
      clock,
      env: { TERM: 'xterm' },
      stdin: context.input as NodeJS.ReadStream,
      stderr: Object.assign(output, { rows: 10 }),
      style: async () => plainStyle,
      signal,
      deferSignals: () => () => {},
      writeOnCrash: (text) => {
        held.push(text);
        return () => held.pop();
      },
      openJobControl: async () => jobControl,
    });
    const view = { draw: () => ['shown'], onKey: ({ name }: KeyPress) => name === 'q', ...show };
    return screen.open(() => (screen as FullScreen).run(view));
  };
  const rendered = (await render(prompt as never, {})) as unknown as {
    readonly answer: Promise<void>;
    readonly events: { keypress(key: object): void };
    nextRender(): Promise<void>;
    getScreen(): string;
  };
  return { ...rendered, clock, held, written, screen: screen as FullScreen };
}

describe('openFullScreen', () => {
  test('enters the alternate screen, draws the view and leaves it', async () => {
    const { answer, events, written, held } = await open({});
    expect(written[0]).toBe('\u001b[?1049h\u001b[?25l\u001b[2J\u001b[H');
    expect(held).toEqual(['\u001b[?1049l\u001b[?25h']);
    events.keypress({ name: 'q' });
    await answer;
    expect(written.at(-1)).toBe('\u001b[?1049l\u001b[?25h');
    expect(held).toEqual([]);
  });

  test('redraws on request and every second', async () => {
    let count = 0;
    const draw = () => {
      count += 1;
      return [`drawing ${count}`];
    };
    const { answer, events, screen, clock, getScreen, nextRender } = await open({ draw });
    const before = count;
    screen.redraw();
    screen.redraw();
    await nextRender();
    expect(getScreen()).toBe(`drawing ${before + 1}`);
    clock.advance(1_000);
    await nextRender();
    expect(getScreen()).toBe(`drawing ${before + 2}`);
    events.keypress({ name: 'q' });
    await answer;
  });

  test('writes nothing between Ctrl-Z and fg, and draws everything again', async () => {
    const views: SuspendableView[] = [];
    const add = (view: SuspendableView) => {
      views.push(view);
      return () => void views.splice(views.indexOf(view), 1);
    };
    let count = 0;
    const draw = () => {
      count += 1;
      return [`drawing ${count}`];
    };
    const { answer, events, screen, clock, written, held, nextRender } = await open(
      { draw },
      { jobControl: { ...foregroundJob, add } },
    );
    for (const view of [...views].reverse()) view.suspend();
    expect(written.at(-1)).toBe('\u001b[?1049l\u001b[?25h');
    expect(held).toEqual([]);
    const before = written.length;
    clock.advance(1_000);
    screen.redraw();
    events.keypress({ name: 'x', sequence: 'x' });
    await setImmediate();
    await setImmediate();
    expect(written.slice(before)).toEqual([]);
    for (const view of views) view.resume();
    await nextRender();
    expect(written[before]).toMatch('\u001b[?1049h');
    expect(written.at(-1)).toMatch(`\u001b[2J\u001b[H\u001b[1H\u001b[Kdrawing ${count}`);
    for (const view of [...views].reverse()) view.suspend();
    const suspended = written.length;
    events.keypress({ name: 'q' });
    await answer;
    expect(written.slice(suspended)).toEqual([]);
  });

  test.each([
    [{ name: 'return', sequence: '\r' }, { name: 'enter' }],
    [{ name: 'pagedown', sequence: '\u001b[6~' }, { name: 'pageDown' }],
    [
      { name: 'a', sequence: 'A', shift: true },
      { name: 'a', shift: true, text: 'A' },
    ],
    [
      { name: 'n', sequence: '\u000e', ctrl: true },
      { name: 'n', ctrl: true },
    ],
    [
      { name: 'enter', sequence: '\n' },
      { name: 'j', ctrl: true },
    ],
    [{ name: undefined, sequence: '🦊' }, { text: '🦊' }],
    // Joins emoji.
    [{ name: undefined, sequence: '\u200d' }, { text: '\u200d' }],
    [{ name: 'x', sequence: '\u001bx', meta: true }, { name: 'x' }],
    [{ name: undefined, sequence: '\u202e' }, {}],
  ])('translates the key %j', async (pressed, key) => {
    const keys: KeyPress[] = [];
    const onKey = (one: KeyPress) => {
      keys.push(one);
      return true;
    };
    const { answer, events } = await open({ onKey });
    events.keypress(pressed);
    await answer;
    expect(keys).toEqual([{ ctrl: false, shift: false, ...key }]);
  });

  test('draws everything again on Ctrl-L', async () => {
    const { answer, events, written } = await open({});
    const before = written.length;
    events.keypress({ name: 'l', sequence: '\u000c', ctrl: true });
    const cleared = '\u001b[2J\u001b[H\u001b[1H\u001b[Kshown';
    await vi.waitFor(() => expect(written.slice(before).join('')).toContain(cleared), { timeout: 10_000 });
    events.keypress({ name: 'q' });
    await answer;
  });

  test.each<[string, { onKey?: () => never; draw?: (drawings: number) => readonly string[] }]>([
    ['a key', { onKey: () => fail() }],
    ['a drawing', { draw: (drawings) => (drawings > 1 ? fail() : ['shown']) }],
  ])('leaves the alternate screen if %s throws', async (_, show) => {
    let drawings = 0;
    const draw = () => {
      drawings += 1;
      return show.draw?.(drawings) ?? ['shown'];
    };
    const { answer, events, written } = await open({ ...show, draw });
    const rejected = expect(answer).rejects.toThrow('broken');
    events.keypress({ name: 'x' });
    await rejected;
    expect(written.at(-1)).toBe('\u001b[?1049l\u001b[?25h');
  });

  test('copies with OSC 52 in base64', async () => {
    const { answer, events, written, screen } = await open({});
    expect(screen.copyToClipboard('9223372036854775807')).toBe(true);
    expect(written.at(-1)).toBe(`\u001b]52;c;${btoa('9223372036854775807')}\u0007`);
    events.keypress({ name: 'q' });
    await answer;
  });
});

test.each([
  [{ TERM: 'xterm-256color' }, true],
  [{ TERM: 'tmux-256color' }, true],
  [{ TERM: 'linux' }, false],
  [{ TERM: 'vt220' }, false],
  [{}, false],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' }, false],
  [{ TERM: 'xterm-256color', VTE_VERSION: '7600' }, false],
])('supportsClipboard for %j is %s', (env, supported) => {
  expect(supportsClipboard(env)).toBe(supported);
});

function fail(): never {
  throw new Error('broken');
}
