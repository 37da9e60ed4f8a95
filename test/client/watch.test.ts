import { describe, expect, test } from 'vitest';
import { withQuota, withTrace } from '../../src/client/watch.js';
import type { Quota } from '../../src/contract/quota.js';
import type { LedgerEntry } from '../../src/ports/ledger.js';
import { answer, answering } from '../support/client.js';
import { fakeClock } from '../support/clock.js';
import { openStore, testKey } from '../support/store.js';

const never = new AbortController().signal;
const request = {
  method: 'GET',
  origin: 'http://127.0.0.1:4010',
  target: '/v1/pets?limit=1',
  headers: { authorization: `Bearer ${testKey}` },
};

describe('withQuota', () => {
  test('keeps what the service tells of the quota, and hands it on', async () => {
    const clock = fakeClock();
    const store = await openStore({ clock, limits: { perMinute: 60, perDay: 1_000 } });
    const { ledger, entries } = openLedger();
    const quotas: Quota[] = [];
    const send = withQuota((one) => store.handle(one, '127.0.0.1'), {
      ledger,
      account: 'account',
      clock,
      onQuota: (quota) => quotas.push(quota),
    });
    expect((await send(request, never)).status).toBe(200);
    const quota = { limit: 60, remaining: 59, resetAt: clock.now() + 60_000 };
    expect(quotas).toEqual([quota]);
    expect(entries).toEqual([['account', { quota, seenAt: clock.now() }]]);
  });

  test('keeps what a refusal tells as well', async () => {
    const { ledger, entries } = openLedger();
    const clock = fakeClock();
    const headers = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0' };
    const options = { ledger, account: 'account', clock, onQuota: () => {} };
    await withQuota(answering(answer(429, '', headers)), options)(request, never);
    expect(entries).toEqual([
      ['account', { quota: { limit: 60, remaining: 0 }, seenAt: clock.now() }],
    ]);
  });

  test.each([
    ['missing', {}],
    ['no numbers', { 'x-ratelimit-limit': 'many', 'x-ratelimit-remaining': '-1' }],
  ])('keeps nothing where the headers are %s', async (_, headers) => {
    const { ledger, entries } = openLedger();
    const quotas: Quota[] = [];
    await withQuota(answering(answer(200, '[]', headers)), {
      ledger,
      account: 'account',
      clock: fakeClock(),
      onQuota: (quota) => quotas.push(quota),
    })(request, never);
    expect(entries).toEqual([]);
    expect(quotas).toEqual([{}]);
  });

  test('does not let the answer wait for the ledger', async () => {
    let recorded: Promise<void> | undefined;
    const send = withQuota(answering(answer(200, '[]', { 'x-ratelimit-limit': '60' })), {
      ledger: { find: () => undefined, record: () => new Promise(() => {}) },
      account: 'account',
      clock: fakeClock(),
      onQuota: (_, promise) => {
        recorded = promise;
      },
    });
    expect((await send(request, never)).status).toBe(200);
    expect(recorded).toBeInstanceOf(Promise);
  });
});

describe('withTrace', () => {
  test('tells of request and answer, and of headers only those that hold no secret', async () => {
    const lines: string[] = [];
    const headers = {
      'x-ratelimit-remaining': '59',
      'content-type': 'application/json',
      'set-cookie': 'session=secret',
      'www-authenticate': 'Bearer secret',
      link: ['<a>; rel="next"', '<b>; rel="last"'],
    };
    await withTrace(answering(answer(200, '[]', headers)), (line) => lines.push(line))(
      request,
      never,
    );
    expect(lines).toEqual([
      '> GET http://127.0.0.1:4010/v1/pets?limit=1',
      '< 200  content-type: application/json  link: <a>; rel="next",<b>; rel="last"  x-ratelimit-remaining: 59',
    ]);
  });

  test('tells of the request alone where no answer comes', async () => {
    const lines: string[] = [];
    const send = withTrace(answering(), (line) => lines.push(line));
    await expect(send(request, never)).rejects.toThrow('no more answers');
    expect(lines).toEqual(['> GET http://127.0.0.1:4010/v1/pets?limit=1']);
  });
});

function openLedger() {
  const entries: [string, LedgerEntry][] = [];
  const ledger = {
    find: () => undefined,
    record: async (account: string, entry: LedgerEntry) => {
      entries.push([account, entry]);
    },
  };
  return { ledger, entries };
}
