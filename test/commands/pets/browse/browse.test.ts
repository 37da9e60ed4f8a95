import { beforeAll, describe, expect, test } from 'vitest';
import type { AppContext, ConnectionOptions } from '../../../../src/app/context.js';
import { browse } from '../../../../src/commands/pets/browse/browse.js';
import { emptyQuotaState } from '../../../../src/quota/quota-state.js';
import type { FullScreen } from '../../../../src/terminal/full-screen.js';
import { fakeClock } from '../../../support/clock.js';
import { createTestClient, failureOf, newResponse, respondWith } from '../../../support/test-client.js';
import { plainStyle } from '../../../support/test-terminal.js';

const ada = { id: 1, name: 'Ada', categoryId: 7, status: 'sold' };
const rex = { id: 2, name: 'Rex', categoryId: 7 };
const quit = 'escape';
const listed = newResponse(200, [ada]);
const quota = { limit: 60, remaining: 58 };

test('shows the loaded pets and the quota', async () => {
  const { drawn, result } = await runBrowse([quit], respondWith(listed));
  expect(drawn).toMatch(/❯ +1 +Ada +7 +sold/);
  expect(drawn).toContain('58 of 60 requests left');
  expect(result).toBeUndefined();
});

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

describe('adding a pet', () => {
  const keys = ['ctrl+n', quit];

  test('runs the ordinary add, and selects the created pet', async () => {
    const { drawn, sent, successes } = await runBrowse(keys, respondWith(listed, newResponse(201, rex)));
    expect(drawn).toMatch(/❯ +2 +Rex/);
    expect(sent).toEqual(['GET', 'POST']);
    expect(successes).toEqual(['Added Rex (id 2) to sandbox']);
  });

  test('sends nothing if the user declines', async () => {
    const { drawn, sent } = await runBrowse(keys, respondWith(listed), { isConfirmed: false });
    expect(drawn).toContain('Canceled. Nothing was added.');
    expect(sent).toEqual(['GET']);
  });

  test('shows a failure on the screen, and again after it', async () => {
    const { drawn, failures } = await runBrowse(keys, respondWith(listed, newResponse(500)));
    expect(drawn).toContain('✗ the service failed (HTTP 500)');
    expect(failures).toEqual([expect.stringContaining('it is unknown whether the pet was added')]);
  });
});

test('waits and warnings appear on the screen, and warnings again after it', async () => {
  let start = () => () => {};
  const { drawn, notices } = await runBrowse([quit], respondWith(listed), {
    onLive: ({ onWait, onDiagnostic: tell }) => {
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

test('fails with a usage error without an interactive terminal', async () => {
  const context = {
    terminal: { openScreen: async () => ({ isInteractive: false }) },
    settings: {},
    flags: {},
  } as unknown as AppContext;
  const details = { code: 'no_terminal' };
  expect(await failureOf(browse(context))).toMatchObject({ kind: 'usage', details });
});

interface BrowseOptions {
  readonly isConfirmed?: boolean;
  readonly onLive?: (options: ConnectionOptions) => void;
  readonly whileShown?: (draw: () => void) => void;
}

/** Runs `pets browse`, presses each key when no request is in flight, and records every screen. */
async function runBrowse(
  keys: readonly string[],
  send: Parameters<typeof createTestClient>[0],
  { isConfirmed = true, onLive, whileShown }: BrowseOptions = {},
) {
  const clock = fakeClock();
  const { client, requests } = createTestClient(send, { clock });
  const left = [...keys];
  const drawn: string[] = [];
  const copied: string[] = [];
  const notices: string[] = [];
  const successes: string[] = [];
  const failures: string[] = [];
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
    client: async () => client,
    runtime: { platform: 'linux' },
    signal: new AbortController().signal,
    settings: { profile: 'sandbox', maxWaitMs: 60_000 },
    connections: {
      checkWriteAllowed: async () => {},
      open: async (options: ConnectionOptions) => {
        onLive?.(options);
        const known = { ...emptyQuotaState, quota };
        const quotaNow = async () => (requests.length === 0 ? emptyQuotaState : known);
        return { client, label: 'sandbox', quotaState: quotaNow };
      },
    },
    config: { account: async () => ({ profile: 'sandbox' }) },
    terminal: {
      openScreen: async () => screen,
      redact: (text: string) => text,
      notice: (line: string) => notices.push(line),
      success: (line: string) => successes.push(line),
      fail: (line: string) => failures.push(line),
      checkFields: () => {},
      prompts: {
        isInteractive: true,
        input: async ({ message }: { message: string }) => (message === 'Name:' ? 'Rex' : '7'),
        select: async () => undefined,
        confirm: async () => isConfirmed,
      },
    },
  } as unknown as AppContext;
  const result = await browse(context).catch((error: unknown) => error);
  if (!(result instanceof Error)) draw();
  const sent = requests.map(({ method }) => method);
  const targets = requests.map(({ target }) => target);
  return { drawn: drawn.join('\n'), copied, notices, successes, failures, result, sent, targets };
}
