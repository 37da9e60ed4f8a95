import { describe, expect, test } from 'vitest';
import type { AppContext, ConnectionOptions } from '../../../../src/app/context.js';
import { browse } from '../../../../src/commands/pets/browse/browse.js';
import { emptyLedgerEntry } from '../../../../src/quota/ledger.js';
import type { FullScreen, KeyPress } from '../../../../src/terminal/full-screen.js';
import { fakeClock } from '../../../support/clock.js';
import { ctrlKey, letterKey } from '../../../support/key-press.js';
import {
  createTestClient,
  failureOf,
  newResponse,
  respondWith,
} from '../../../support/test-client.js';

const ada = { id: 1, name: 'Ada', categoryId: 7, status: 'sold' };
const rex = { id: 2, name: 'Rex', categoryId: 7 };
const quit = letterKey('q');
const listed = newResponse(200, [ada]);
const quota = { limit: 60, remaining: 58 };

test('what was read is shown, and what is known of the quota', async () => {
  const { drawn, result } = await shown([quit], respondWith(listed));
  expect(drawn).toMatch(/❯ 1 +Ada +sold/);
  expect(drawn).toContain('58 of 60 requests left');
  expect(result).toEqual({ kind: 'nothing' });
});

describe('a page that cannot be had', () => {
  test('is told with what to do, and comes at the next try', async () => {
    const keys = [ctrlKey('r'), quit];
    const { drawn } = await shown(keys, respondWith(newResponse(503), listed));
    expect(drawn).toContain('the service answered 503');
    expect(drawn).toContain('Ada');
  });

  test.each([
    ['a key that is rejected', async () => newResponse(401), 'auth'],
    ['a bug', () => Promise.reject(new TypeError('of ours')), undefined],
  ])('because of %s is the end', async (_, send, kind) => {
    const { result } = await shown([], send);
    expect(result).toBeInstanceOf(Error);
    if (kind) expect(result).toMatchObject({ kind });
    else expect(result).toMatchObject({ message: 'of ours' });
  });
});

test.each([
  ['may copy', true, 'copied 1, where the terminal lets programs copy'],
  ['takes nothing', false, 'this terminal takes nothing for its clipboard; the id is 1'],
])(
  'the id of the chosen pet is copied, and a terminal that %s is told of',
  async (_, copies, words) => {
    const { drawn, copied } = await shown([ctrlKey('y'), quit], respondWith(listed), { copies });
    expect(drawn).toContain(words);
    expect(copied).toEqual(['1']);
  },
);

describe('a pet that is added', () => {
  const keys = [ctrlKey('n'), quit];

  test('is shown while it is sent, and chosen once it is there', async () => {
    const { drawn, sent } = await shown(keys, respondWith(listed, newResponse(201, rex)));
    expect(drawn).toContain('adding Rex…');
    expect(drawn).toMatch(/❯ 2 +Rex/);
    expect(sent).toEqual(['GET', 'POST']);
  });

  test('is none where one says no, and that is told', async () => {
    const { drawn, sent } = await shown(keys, respondWith(listed), { agrees: false });
    expect(drawn).toContain('nothing was added');
    expect(sent).toEqual(['GET']);
  });

  test('and refused is told on the screen alone', async () => {
    const error = { code: 'invalid_request', message: 'no such category', status: 422 };
    const { drawn, result } = await shown(keys, respondWith(listed, newResponse(422, error)));
    expect(drawn).toContain('no such category');
    expect(result).toEqual({ kind: 'nothing' });
  });

  test('but of which nobody knows is what the command fails with', async () => {
    const { result } = await shown(keys, respondWith(listed, newResponse(500)));
    expect(result).toMatchObject({ kind: 'unknown-outcome' });
  });
});

test('waits and warnings are on the screen, and warnings are told again after it', async () => {
  let start = () => () => {};
  const { drawn, notices } = await shown([quit], respondWith(listed), {
    onLive: ({ onWait, onDiagnostic: tell }) => {
      // Told while the screen is there, as the client tells of them.
      start = () => {
        tell?.('warning: the quota cannot be kept');
        return onWait?.(fakeClock().now() + 20_000, 'for the quota of sandbox') ?? (() => {});
      };
    },
    whileShown: (draw) => {
      const release = start();
      draw();
      release();
    },
  });
  expect(drawn).toContain('for the quota of sandbox');
  expect(drawn.split('Pets [all]').at(-1)).not.toContain('for the quota of sandbox');
  expect(notices).toEqual(['warning: the quota cannot be kept']);
});

test('where no screen can be had it is a usage error', async () => {
  const context = {
    terminal: { openScreen: async () => ({ isInteractive: false }) },
  } as unknown as AppContext;
  expect(await failureOf(browse(context))).toMatchObject({
    kind: 'usage',
    details: { code: 'no_terminal' },
  });
});

interface Given {
  readonly copies?: boolean;
  readonly agrees?: boolean;
  readonly onLive?: (options: ConnectionOptions) => void;
  readonly whileShown?: (draw: () => void) => void;
}

/** Browses with these keys, each pressed once nothing is under way, and keeps all that is drawn, one screen after the other. */
async function shown(
  keys: readonly KeyPress[],
  send: Parameters<typeof createTestClient>[0],
  { copies = true, agrees = true, onLive, whileShown }: Given = {},
) {
  const clock = fakeClock();
  const { client, requests } = createTestClient(send, { clock });
  const left = [...keys];
  const drawn: string[] = [];
  const copied: string[] = [];
  const notices: string[] = [];
  const same = (part: string) => part;
  const style = { heading: same, dim: same, status: same, error: same };
  let draw = () => {};
  const screen: FullScreen = {
    isInteractive: true,
    run: async (show) => {
      draw = () => void drawn.push(show.draw({ columns: 100, rows: 12 }, style).join('\n'));
      for (let isOver = false; !isOver; ) {
        draw();
        await new Promise(setImmediate);
        whileShown?.(draw);
        draw();
        const key = left.shift();
        if (!key) throw new Error('the test has no more keys');
        isOver = show.onKey(key);
      }
    },
    redraw: () => {},
    copyToClipboard: (content) => copied.push(content) > 0 && copies,
  };
  const context = {
    clock,
    signal: new AbortController().signal,
    settings: { profile: 'sandbox' },
    connections: {
      open: async (options: ConnectionOptions) => {
        onLive?.(options);
        const known = { ...emptyLedgerEntry, quota };
        const quotaNow = async () => (requests.length === 0 ? undefined : known);
        return { client, label: 'sandbox', ledgerEntry: quotaNow };
      },
    },
    config: { account: async () => ({ profile: 'sandbox' }) },
    terminal: {
      openScreen: async () => screen,
      redact: same,
      notice: (line: string) => notices.push(line),
      prompts: {
        input: async ({ message }: { message: string }) => (message === 'Name:' ? 'Rex' : '7'),
        select: async () => undefined,
        confirm: async () => agrees,
      },
    },
  } as unknown as AppContext;
  const result = await browse(context).catch((error: unknown) => error);
  if (!(result instanceof Error)) draw();
  const sent = requests.map(({ method }) => method);
  return { drawn: drawn.join('\n'), copied, notices, result, sent };
}
