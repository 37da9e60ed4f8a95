import { describe, expect, test } from 'vitest';
import type { HttpResponse } from '../../../../src/api/http.js';
import { startCannedServer } from '../../../support/canned-server.js';
import type { RunOptions } from '../../../support/petstore.js';
import { editBody, removeHeader, startTamperingServer } from '../../../support/tampering-server.js';
import { createTestCli, type TestCli } from '../../../support/test-cli.js';
import { startService } from '../../../support/test-service.js';

interface Line {
  readonly section: string;
  readonly rule: string;
  readonly status: string;
  readonly detail?: string;
}

async function examine(world: TestCli, env: RunOptions['env'], ...flags: readonly string[]) {
  const args = ['doctor', '--contract', '--yes', '--json', '-q', ...flags];
  const run = await world.run(args, { ...(env && { env }) });
  const lines = run.stdout === '' ? [] : (JSON.parse(run.stdout) as Line[]);
  const error = run.stderr === '' ? undefined : JSON.parse(run.stderr).error;
  return {
    ...run,
    lines,
    error,
    of: (rule: string) => lines.find((line) => line.rule === rule),
    broken: lines.filter(({ status }) => status === 'broken').map(({ rule }) => rule),
  };
}

describe('of petstore serve', () => {
  test('nothing is broken, and what the interface leaves open is told', async () => {
    const { env, statuses } = await startService();
    const { lines, exitCode } = await examine(createTestCli(), env);
    expect(exitCode).toBe(0);
    expect(statuses).toEqual([200, 200, 200, 200, 404, 400, 400, 200, 401]);
    expect(
      lines.map(({ section, rule, status, detail = '' }) =>
        [section, rule, status, detail].join(' | '),
      ),
    ).toMatchInlineSnapshot(`
      [
        "1 | JSON bodies | ok | ",
        "2 | pets | ok | ",
        "2 | unique ids | ok | ",
        "2 | exact numbers | note | no number beyond 2^53 is seen; --write adds one",
        "4.1 | list | ok | ",
        "4.1 | limit | ok | ",
        "4.1 | status filter | ok | ",
        "4.1 | paging | note | Link with rel="next"",
        "4.1 | next page | ok | ",
        "4.1 | limit=0 | note | refused with 400 invalid_request",
        "4.3 | deprecation headers | note | Deprecation: @1767225600, Sunset: Thu, 05 Dec 2030 00:00:00 GMT",
        "4.3 | get | ok | ",
        "4.3 | missing pet | ok | ",
        "4.4 | orders | note | an empty list",
        "5 | wrong key | ok | ",
        "7 | error bodies | ok | ",
        "7 | error codes | note | 404 not_found; 400 invalid_request; 401 unauthorized",
        "8.1 | plan | note | no plan has that limit: custom",
        "8.2 | rate-limit headers | ok | ",
        "8.2 | reset time | ok | ",
        "8.2 | window | note | the headers tell of a minute: 1000000 requests",
        "8.3 | limit=101 | note | refused with 400 invalid_request",
        "8.3 | largest limit | ok | ",
      ]
    `);
  });

  test('with --write it adds one pet, says so before, and finds it as it was', async () => {
    const { env, statuses } = await startService();
    const world = createTestCli();
    const { of, broken } = await examine(world, env, '--write');
    expect(statuses).toHaveLength(10);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(broken).toEqual([]);
    for (const rule of ['create', 'round trip', 'exact numbers', 'get']) {
      expect(of(rule)).toMatchObject({ status: 'ok' });
    }
    const told = await world.run(['doctor', '--contract', '--write', '--yes'], { env });
    expect(told.stderr).toContain(
      'A pet named "petstore doctor --contract --write" is added to 127.0.0.1',
    );
  });

  test('a wrong key is not counted against the right one', async () => {
    const { env } = await startService();
    const world = createTestCli();
    await examine(world, env);
    const { stdout } = await world.run(['quota', '--json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({ limit: 1_000_000, remaining: 1_000_000 - 8 });
  });

  test('it stops where the quota is used up, and tells what was not asked', async () => {
    const { env, statuses } = await startService({ limits: { perMinute: 3, perDay: 100 } });
    const world = createTestCli();
    const first = await examine(world, env);
    expect(statuses).toEqual([200, 200, 200]);
    expect(
      first.lines.filter(({ status }) => status === 'not asked').map(({ rule }) => rule),
    ).toEqual(['limit=0', 'get', 'missing pet', 'orders', 'wrong key', 'limit=101']);
    expect(first.error).toMatchObject({ code: 'rate_limited', exitCode: 6 });
    expect(Date.parse(first.error.retryAt)).toBeGreaterThan(Date.now());
    const second = await examine(world, env);
    expect(statuses).toHaveLength(3);
    expect(new Set(second.lines.map(({ status }) => status))).toEqual(new Set(['not asked']));
    expect(second.exitCode).toBe(6);
  });

  test('after its removal the operation may be gone', async () => {
    const clock = { now: () => Date.now() + 10 * 365 * 86_400_000, sleep: async () => {} };
    const { env } = await startTamperingServer((answer) => answer, clock);
    const { of, broken } = await examine(createTestCli(), env);
    expect(broken).toEqual([]);
    expect(of('removal')).toMatchObject({ status: 'ok' });
  });
});

describe('a service that breaks', () => {
  const cases: readonly (readonly [
    rule: string,
    section: string,
    change: (answer: HttpResponse, line: string) => HttpResponse,
    detail: string | RegExp,
  ])[] = [
    [
      'limit',
      '4.1',
      (answer, line) =>
        line.endsWith('limit=2')
          ? editBody(answer, (text) =>
              text.replace(
                /^\[({.*?})/,
                '[$1,{"id":900,"name":"x","categoryId":1,"status":"available"}',
              ),
            )
          : answer,
      'GET /v1/pets?status=available&limit=2 brings 3 pets, more than 2',
    ],
    [
      'status filter',
      '4.1',
      (answer, line) =>
        line.endsWith('limit=2')
          ? editBody(answer, (text) => text.replace('available', 'sold'))
          : answer,
      'GET /v1/pets?status=available&limit=2 brings a pet that is sold',
    ],
    [
      'rate-limit headers',
      '8.2',
      (answer, line) =>
        line.endsWith('/pets') ? removeHeader(answer, 'x-ratelimit-reset') : answer,
      'GET /v1/pets is answered without X-RateLimit-Reset',
    ],
    [
      'reset time',
      '8.2',
      (answer) => ({ ...answer, headers: { ...answer.headers, 'x-ratelimit-reset': '42' } }),
      '42 is no Unix time of a minute or a day to come',
    ],
    [
      'error bodies',
      '7',
      (answer) => (answer.status === 404 ? editBody(answer, () => '{"error":"no"}') : answer),
      /404 without code and message/,
    ],
    [
      'error bodies',
      '7',
      (answer) =>
        answer.status === 401 ? editBody(answer, (text) => text.replace('401', '400')) : answer,
      /401 whose body says 400/,
    ],
    [
      'wrong key',
      '5',
      (answer) =>
        answer.status === 401
          ? { ...answer, status: 200, body: new TextEncoder().encode('[]') }
          : answer,
      'a wrong key is answered with 200',
    ],
    [
      'pets',
      '2',
      (answer) => editBody(answer, (text) => text.replace('"categoryId":1,', '')),
      'a pet comes without categoryId',
    ],
    [
      'pets',
      '2',
      (answer) => editBody(answer, (text) => text.replaceAll('"sold"', '"eaten"')),
      '"eaten" is no status',
    ],
    [
      'unique ids',
      '2',
      (answer, line) =>
        line.endsWith('/pets')
          ? editBody(answer, (text) => text.replace('"id":2', '"id":1'))
          : answer,
      /brings an id twice/,
    ],
    [
      'missing pet',
      '4.3',
      (answer) => (answer.status === 404 ? { ...answer, status: 400 } : answer),
      /is answered with 400/,
    ],
    [
      'get',
      '4.3',
      (answer, line) => (/pets\/\d{1,3}$/.test(line) ? { ...answer, status: 410 } : answer),
      'a pet of the list is answered with 410',
    ],
    [
      'removal',
      '4.3',
      (answer) => ({
        ...answer,
        headers: { ...answer.headers, sunset: 'Sat, 05 Dec 2026 00:00:00 GMT' },
      }),
      /^Sunset is not 5 December 2030/,
    ],
    [
      'largest limit',
      '8.3',
      (answer, line) =>
        line.endsWith('101')
          ? {
              ...answer,
              status: 200,
              body: new TextEncoder().encode(
                JSON.stringify(Array.from({ length: 101 }, (_, id) => ({ id }))),
              ),
            }
          : answer,
      'limit=101 brings more than 100 pets',
    ],
    [
      'statuses',
      '7',
      (answer, line) => (line.endsWith('=0') ? { ...answer, status: 500 } : answer),
      'GET /v1/pets?limit=0 is answered with 500',
    ],
    [
      'orders',
      '4.4',
      (answer, line) => (line.endsWith('orders') ? { ...answer, status: 404 } : answer),
      'answered with 404',
    ],
    [
      'JSON bodies',
      '1',
      (answer) => ({ ...answer, headers: { ...answer.headers, 'content-type': 'text/plain' } }),
      /answered with text\/plain/,
    ],
    [
      'JSON bodies',
      '1',
      (answer, line) => (line.endsWith('orders') ? editBody(answer, () => '[1,') : answer),
      'GET /v1/store/orders is answered with application/json that is not JSON',
    ],
    [
      'list',
      '4.1',
      (answer) => (answer.status === 200 ? editBody(answer, () => '{"pets":[]}') : answer),
      /answered with no list/,
    ],
  ];
  test.each(cases)('%s (%s) is named, %#', async (rule, section, change, detail) => {
    const { env, requestLines: requests } = await startTamperingServer(change);
    const { of, broken, error } = await examine(createTestCli(), env);
    expect(requests.length).toBeLessThanOrEqual(10);
    expect(broken).toContain(rule);
    expect(of(rule)).toMatchObject({
      section,
      status: 'broken',
      detail: typeof detail === 'string' ? detail : expect.stringMatching(detail),
    });
    expect(error).toMatchObject({ code: 'contract_broken', exitCode: 1 });
    expect(error.message).toContain(`${rule} (${section})`);
  });

  test('numbers of 64 bits is named with --write', async () => {
    const { env } = await startTamperingServer((answer) =>
      editBody(answer, (text) => text.replaceAll('9223372036854775807', '9223372036854775808')),
    );
    const { of } = await examine(createTestCli(), env, '--write');
    expect(of('exact numbers')).toMatchObject({
      section: '2',
      status: 'broken',
      detail: expect.stringContaining(
        'categoryId 9223372036854775807 comes back as 9223372036854775808',
      ),
    });
  });

  test('six rules at once is told each of them, and nothing else', async () => {
    const { env } = await startTamperingServer((answer, line) => {
      if (line === 'GET /v1/pets')
        return editBody(removeHeader(answer, 'x-ratelimit-limit'), (text) =>
          text.replace('"name":"Ada"', '"name":7'),
        );
      if (line.endsWith('limit=2'))
        return editBody(answer, (text) => text.replace('available', 'pending'));
      if (answer.status === 401)
        return {
          ...answer,
          status: 403,
          body: new TextEncoder().encode('{"code":"no","message":"no","status":403}'),
        };
      if (answer.status === 404) return editBody(answer, () => '<html>');
      return answer;
    });
    const { broken, error, exitCode } = await examine(createTestCli(), env);
    expect(broken).toEqual([
      'JSON bodies',
      'pets',
      'status filter',
      'wrong key',
      'error bodies',
      'rate-limit headers',
    ]);
    expect(error.message).toBe(
      'the service breaks 6 rules of the interface: JSON bodies (1), pets (2), status filter (4.1), wrong key (5), error bodies (7), rate-limit headers (8.2)',
    );
    expect(exitCode).toBe(1);
  });
});

function nothingLeft() {
  const reset = String(Math.ceil(Date.now() / 1000) + 30);
  return { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset };
}

test('where a rule is broken too, why no more was asked is told beside it', async () => {
  const { env } = await startCannedServer(
    { body: '[]' },
    { status: 429, headers: { 'retry-after': '60' } },
  );
  const world = createTestCli();
  const { stderr, exitCode } = await world.run(['doctor', '--contract', '--yes'], { env });
  expect(stderr).toMatch(/^warning: not all was asked: the service/m);
  expect(stderr).toContain('the service breaks');
  expect(exitCode).toBe(1);
});

test('a pet of which nobody knows whether it was added ends it', async () => {
  const { env, requestLines: lines } = await startTamperingServer((answer, line) =>
    line.startsWith('POST') ? { ...answer, status: 502 } : answer,
  );
  const { error, of } = await examine(createTestCli(), env, '--write');
  expect(lines.at(-1)).toBe('POST /v1/pets');
  expect(error).toMatchObject({ exitCode: 9, status: 502 });
  expect(of('create')).toMatchObject({ status: 'broken' });
  expect(of('get')).toMatchObject({ status: 'not asked' });
});

describe('it asks for no more than it must', () => {
  test.each([
    ['of a rejected key', { status: 401, body: '{"code":"c","message":"no","status":401}' }, 3],
    ['of what is no store', { body: '<html>' }, 7],
    [
      'while it is limited',
      { status: 429, headers: { 'retry-after': '30', ...nothingLeft() }, body: '{}' },
      6,
    ],
  ])('%s', async (_, answer, exitCode) => {
    const { env, requests } = await startCannedServer(answer);
    const run = await examine(createTestCli(), env);
    expect(requests).toHaveLength(1);
    expect(run.exitCode).toBe(exitCode);
  });

  test('without consent nothing is sent', async () => {
    const { env, requests } = await startCannedServer({});
    for (const flags of [[], ['--json'], ['--write']]) {
      const run = await createTestCli().run(['doctor', '--contract', ...flags], { env });
      expect({ stdout: run.stdout, exitCode: run.exitCode }).toEqual({ stdout: '', exitCode: 2 });
      expect(run.stderr).toContain('pass --yes to send up to ten requests');
    }
    expect(requests).toEqual([]);
  });

  test.each([
    [['doctor', '--write'], {}, '--write goes with --contract alone', 2],
    [
      ['doctor', '--contract', '--curl', '--yes'],
      { PETSTORE_BASE_URL: 'http://127.0.0.1:1/v1' },
      '--curl shows one',
      2,
    ],
    [['doctor', '--contract', '--yes', '-p', 'staging'], {}, 'no base URL yet', 2],
    [
      ['doctor', '--contract', '--yes'],
      { PETSTORE_BASE_URL: 'http://127.0.0.1:1/v1', PETSTORE_API_KEY: 'pets_0123456789' },
      'refuses connections',
      8,
    ],
  ])('%j', async (args, env, words, exitCode) => {
    const run = await createTestCli().run(args, { env });
    expect({ stdout: run.stdout, exitCode: run.exitCode }).toEqual({ stdout: '', exitCode });
    expect(run.stderr).toContain(words);
  });
});
