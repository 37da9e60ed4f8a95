import { beforeAll, describe, expect, test } from 'vitest';
import type { ConnectionDisplay } from '../../../../src/app/connections.js';
import type { AppContext } from '../../../../src/app/context.js';
import { browse } from '../../../../src/commands/pets/browse/browse.js';
import { emptyQuotaState } from '../../../../src/quota/quota-state.js';
import type { FullScreen } from '../../../../src/terminal/full-screen.js';
import { fakeClock } from '../../../support/clock.js';
import { createTestClient, newResponse, respondWith } from '../../../support/test-client.js';
import { plainStyle } from '../../../support/test-terminal.js';

const ada = { id: 1, name: 'Ada', categoryId: 7, status: 'sold' };
const rex = { id: 2, name: 'Rex', categoryId: 7 };
const quit = 'escape';
const listed = newResponse(200, [ada]);
const quota = { limit: 60, remaining: 58 };

// A failure loads this file, which takes longer than the keys of a test.
beforeAll(() => import('../../../../src/client/failures.js'));

describe('a page that fails to load', () => {
  test('shows the error and loads on refresh', async () => {
    const keys = ['ctrl+r', quit];
    const { drawn } = await runBrowse(keys, respondWith(newResponse(503), listed));
    expect(drawn).toContain('the service failed (HTTP 503)');
    expect(drawn).toContain('Ada');
  });

  test.each([
    ['a rejected API key', respondWith(newResponse(401)), 'auth'],
    ['a bug', () => Promise.reject(new TypeError('of ours')), undefined],
  ])('because of %s stops the command', async (_, send, kind) => {
    const { result } = await runBrowse([], send);
    expect(result).toBeInstanceOf(Error);
    if (kind) expect(result).toMatchObject({ kind });
    else expect(result).toMatchObject({ message: 'of ours' });
  });
});

test('a page that failed is requested again', async () => {
  const first = newResponse(200, [ada], { link: '</v1/pets?cursor=a>; rel="next"' });
  const { drawn, targets } = await runBrowse(
    ['down', 'down', quit],
    respondWith(first, newResponse(503), newResponse(200, [rex])),
  );
  expect(targets).toEqual(['/v1/pets?limit=100', '/v1/pets?cursor=a', '/v1/pets?cursor=a']);
  expect(drawn).toMatch(/❯ +2 +Rex/);
});

test('copies the id', async () => {
  const { drawn, copied } = await runBrowse(['ctrl+y', quit], respondWith(listed));
  expect(drawn).toContain('Sent 1 to the clipboard of the terminal');
  expect(copied).toEqual(['1']);
});

test('waits and warnings appear on the screen, and warnings again after it', async () => {
  let start = (): ReturnType<ConnectionDisplay['countDown']> => () => {};
  const { drawn, notices } = await runBrowse([quit], respondWith(listed), {
    onConnect: ({ warn, countDown }) => {
      start = () => {
        warn('warning: the quota cannot be kept');
        return countDown(fakeClock().now() + 20_000, 'for the quota');
      };
    },
    whileShown: (draw) => {
      const release = start();
      draw();
      void release();
    },
  });
  expect(drawn).toContain('for the quota');
  expect(drawn.split('Pets [all]').at(-1)).not.toContain('for the quota');
  expect(notices).toEqual(['warning: the quota cannot be kept']);
});

interface BrowseOptions {
  readonly onConnect?: (display: ConnectionDisplay) => void;
  readonly whileShown?: (draw: () => void) => void;
}

/** Runs `pets browse`, presses each key when no request is in flight, and records every screen. */
async function runBrowse(
  keys: readonly string[],
  send: Parameters<typeof createTestClient>[0],
  { onConnect, whileShown }: BrowseOptions = {},
) {
  const clock = fakeClock();
  const { client, requests } = createTestClient(send, { clock });
  const left = [...keys];
  const drawn: string[] = [];
  const copied: string[] = [];
  const notices: string[] = [];
  let draw = () => {};
  const screen: FullScreen = {
    isInteractive: true,
    disableReason: undefined,
    run: async (view) => {
      draw = () => void drawn.push(view.draw({ columns: 100, rows: 12 }, plainStyle).join('\n'));
      for (let hasLeft = false; !hasLeft; ) {
        draw();
        await new Promise(setImmediate);
        whileShown?.(draw);
        draw();
        const key = left.shift();
        if (!key) throw new Error('the test has no more keys');
        hasLeft = view.onKey({ name: key });
      }
    },
    redraw: () => {},
    copyToClipboard: (content) => copied.push(content),
  };
  const context = {
    clock,
    flags: {},
    signal: new AbortController().signal,
    settings: { profile: 'sandbox', maxWaitMs: 60_000 },
    runtime: { holdEnd: () => {} },
    connect: async ({ display }: { readonly display: ConnectionDisplay }) => {
      onConnect?.(display);
      const known = { ...emptyQuotaState, quota };
      const quotaNow = async () => (requests.length === 0 ? emptyQuotaState : known);
      return { client, label: 'sandbox', quotaState: quotaNow };
    },
    terminal: {
      openScreen: async () => screen,
      redact: (text: string) => text,
      notice: (line: string) => notices.push(line),
    },
  } as unknown as AppContext;
  const result = await browse(context).catch((error: unknown) => error);
  if (!(result instanceof Error)) draw();
  const targets = requests.map(({ target }) => target);
  return { drawn: drawn.join('\n'), copied, notices, result, targets };
}
