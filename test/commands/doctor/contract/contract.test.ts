import { describe, expect, test } from 'vitest';
import type { HttpResponse } from '../../../../src/api/http.js';
import { type Rule, ruleSections } from '../../../../src/commands/doctor/contract/findings.js';
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

async function runContract(cli: TestCli, env: RunOptions['env'], ...flags: readonly string[]) {
  const args = ['doctor', '--contract', '--yes', '--json', '-q', ...flags];
  const run = await cli.run(args, { ...(env && { env }) });
  const lines = run.stdout === '' ? [] : (JSON.parse(run.stdout) as Line[]);
  const error = run.stderr === '' ? undefined : JSON.parse(run.stderr).error;
  return {
    ...run,
    lines,
    error,
    of: (rule: string) => lines.find((line) => line.rule === rule),
    broken: lines.filter(({ status }) => status === 'failed').map(({ rule }) => rule),
  };
}

describe('doctor --contract with petstore serve', () => {
  test('finds no violation and reports how it fills gaps in the API spec', async () => {
    const { env, statuses } = await startService();
    const { lines, exitCode } = await runContract(createTestCli(), env);
    expect(exitCode).toBe(0);
    expect(statuses).toEqual([200, 200, 200, 200, 404, 400, 400, 200, 401]);
    const rows = lines.map(({ section, rule, status, detail = '' }) =>
      [section.replace('openapi.yaml#', ''), rule, status, detail].join(' | '),
    );
    expect(rows).toMatchInlineSnapshot(`
      [
        "/info/description | JSON bodies | ok | ",
        "/paths/~1pets/get | list | ok | ",
        "/paths/~1pets/get/parameters/0 | limit | ok | ",
        "/paths/~1pets/get/parameters/0 | limit=0 | ok | rejected with 400 invalid_request",
        "/paths/~1pets/get/parameters/0 | limit=101 | ok | rejected with 400 invalid_request",
        "/paths/~1pets/get/parameters/0 | maximum limit | ok | ",
        "/paths/~1pets/get/parameters/1 | status filter | ok | ",
        "/components/headers/Link | paging | ok | Link with rel="next"",
        "/paths/~1pets/get/parameters/2 | next page | ok | ",
        "/paths/~1pets~1{petId}/get | get | ok | ",
        "/components/responses/NotFound | missing pet | ok | ",
        "/components/headers/Deprecation | deprecation headers | ok | Deprecation: @1767225600, Sunset: Thu, 05 Dec 2030 00:00:00 GMT",
        "/paths/~1store~1orders/get | orders | ok | an empty list",
        "/components/schemas/Pet | pets | ok | ",
        "/components/schemas/Pet/properties/id | unique ids | ok | ",
        "/components/schemas/Pet | exact numbers | skipped | found no number above 2^53; pass --write to add a pet with such a number",
        "/components/schemas/Error | error bodies | ok | ",
        "/components/schemas/Error/properties/code | error codes | ok | 404 not_found; 400 invalid_request; 401 unauthorized",
        "/components/responses/Unauthorized | invalid API key | ok | ",
        "/components/headers/X-RateLimit-Limit | rate-limit headers | ok | ",
        "/components/headers/X-RateLimit-Limit | window | ok | the headers report the minute window: 1,000,000 requests",
        "/components/headers/X-RateLimit-Limit | plan | ok | custom; no plan has this limit",
        "/components/headers/X-RateLimit-Reset | reset time | ok | ",
      ]
    `);
  });

  test('adds one pet with --write, after a notice, and finds it unchanged', async () => {
    const { env, statuses } = await startService();
    const cli = createTestCli();
    const { of, broken } = await runContract(cli, env, '--write');
    expect(statuses).toHaveLength(10);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(broken).toEqual([]);
    for (const rule of ['create', 'round trip', 'exact numbers', 'get']) {
      expect(of(rule)).toMatchObject({ status: 'ok' });
    }
    const run = await cli.run(['doctor', '--contract', '--write', '--yes'], { env });
    expect(run.stderr).toContain('This adds a pet named "petstore doctor --contract --write" to 127');
  });

  test('does not count the probe of a wrong key against the quota', async () => {
    const { env } = await startService();
    const cli = createTestCli();
    await runContract(cli, env);
    const { stdout } = await cli.run(['quota', '--json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({ limit: 1_000_000, remaining: 1_000_000 - 8 });
  });

  test('stops if the quota is used up and reports the unchecked rules', async () => {
    const { env, statuses } = await startService({ limits: { perMinute: 3, perDay: 100 } });
    const cli = createTestCli();
    const first = await runContract(cli, env);
    expect(statuses).toEqual([200, 200, 200]);
    expect(first.lines.filter(({ status }) => status === 'skipped').map(({ rule }) => rule)).toEqual([
      'limit=0',
      'limit=101',
      'get',
      'missing pet',
      'orders',
      'invalid API key',
    ]);
    expect(first.error).toMatchObject({
      code: 'rate_limited',
      hint: 'wait until the quota resets, then run the same command again',
      exitCode: 6,
    });
    expect(Date.parse(first.error.retryAt)).toBeGreaterThan(Date.now());
    const second = await runContract(cli, env);
    expect(statuses).toHaveLength(3);
    expect(new Set(second.lines.map(({ status }) => status))).toEqual(new Set(['skipped']));
    expect(second.exitCode).toBe(6);
  });
});

type Change = (response: HttpResponse) => HttpResponse;

const changeBody =
  (edit: (text: string) => string): Change =>
  (response) =>
    editBody(response, edit);
const setStatus =
  (status: number, body?: string): Change =>
  (response) => ({
    ...response,
    status,
    ...(body !== undefined && { body: new TextEncoder().encode(body) }),
  });
const setHeader =
  (name: string, value: string): Change =>
  (response) => ({ ...response, headers: { ...response.headers, [name]: value } });

describe('doctor --contract with a service that violates the API spec', () => {
  const listOf101 = JSON.stringify(Array.from({ length: 101 }, (_, id) => ({ id })));
  const extraPet = '{"id":900,"name":"x","categoryId":1,"status":"available"}';
  test.each<
    readonly [
      rule: Rule,
      /** The responses to change: by request line or status. */
      changed: RegExp | number,
      change: Change,
      detail: string | RegExp,
    ]
  >([
    [
      'limit',
      /limit=2$/,
      changeBody((text) => text.replace(/^\[({.*?})/, `[$1,${extraPet}`)),
      'GET /v1/pets?status=available&limit=2 returns 3 pets, more than 2',
    ],
    [
      'status filter',
      /limit=2$/,
      changeBody((text) => text.replace('available', 'sold')),
      'GET /v1/pets?status=available&limit=2 returns a pet with the status sold',
    ],
    [
      'rate-limit headers',
      /\/pets$/,
      (response) => removeHeader(response, 'x-ratelimit-reset'),
      'the response to GET /v1/pets lacks X-RateLimit-Reset',
    ],
    [
      'reset time',
      /^/,
      setHeader('x-ratelimit-reset', '42'),
      '42 is not a Unix timestamp within the next minute or day',
    ],
    ['error bodies', 404, changeBody(() => '{"error":"no"}'), /^the 404 response to GET \S+ lacks code and message$/],
    [
      'error bodies',
      401,
      changeBody((text) => text.replace('401', '400')),
      /^the body of the 401 response to GET \S+ has the status 400$/,
    ],
    ['invalid API key', 401, setStatus(200, '[]'), 'the response to an invalid API key has status 200, not 401'],
    ['pets', /^/, changeBody((text) => text.replace('"categoryId":1,', '')), 'a pet has no categoryId'],
    ['pets', /^/, changeBody((text) => text.replaceAll('"sold"', '"eaten"')), '"eaten" is not a status'],
    ['unique ids', /\/pets$/, changeBody((text) => text.replace('"id":2', '"id":1')), /returns an id twice/],
    ['maximum limit', /101$/, setStatus(200, listOf101), 'limit=101 returns more than 100 pets'],
    ['server errors', /=0$/, setStatus(500), 'the response to GET /v1/pets?limit=0 has status 500'],
    ['orders', /orders$/, setStatus(404), 'the response has status 404, not 200'],
    ['JSON bodies', /^/, setHeader('content-type', 'text/plain'), /has the Content-Type text\/plain/],
    ['JSON bodies', /orders$/, changeBody(() => '[1,'), 'the response to GET /v1/store/orders is not valid JSON'],
    ['list', 200, changeBody(() => '{"pets":[]}'), /is not a list/],
  ])('reports a violation of the rule %s (case %#)', async (rule, changed, change, detail) => {
    const { env, requestLines: requests } = await startTamperingServer((response, line) => {
      const isChanged = typeof changed === 'number' ? response.status === changed : changed.test(line);
      return isChanged ? change(response) : response;
    });
    const { of, broken, error } = await runContract(createTestCli(), env);
    expect(requests.length).toBeLessThanOrEqual(10);
    expect(broken).toContain(rule);
    expect(of(rule)).toMatchObject({
      section: `openapi.yaml#${ruleSections[rule]}`,
      status: 'failed',
      detail: typeof detail === 'string' ? detail : expect.stringMatching(detail),
    });
    expect(error).toMatchObject({ code: 'contract_broken', exitCode: 1 });
    expect(error.message).toContain(rule);
  });

  test.each<readonly [rule: Rule, status: string, line: RegExp, change: Change, detail: string]>([
    [
      'next page',
      'warning',
      /cursor=/,
      setStatus(200, '[{"id":1}]'),
      'the next page repeats pets of the previous page',
    ],
    [
      'next page',
      'warning',
      /cursor=/,
      changeBody((text) => text.replaceAll('"available"', '"sold"')),
      'the next page ignores the status filter',
    ],
    [
      'orders',
      'ok',
      /orders$/,
      setStatus(200, '[{"id":1},{"petId":2}]'),
      'a list of 2 orders with the fields id, petId',
    ],
  ])('reports for the rule %s: %s (case %#)', async (rule, status, changed, change, detail) => {
    const { env } = await startTamperingServer((response, line) => (changed.test(line) ? change(response) : response));
    const { of } = await runContract(createTestCli(), env);
    expect(of(rule)).toMatchObject({ status, detail });
  });

  test('reports six violated rules and no other', async () => {
    const { env } = await startTamperingServer((response, line) => {
      if (line === 'GET /v1/pets')
        return editBody(removeHeader(response, 'x-ratelimit-limit'), (text) =>
          text.replace('"name":"Ada"', '"name":7'),
        );
      if (line.endsWith('limit=2')) return changeBody((text) => text.replace('available', 'pending'))(response);
      if (response.status === 401) return setStatus(403, '{"code":"no","message":"no","status":403}')(response);
      return response.status === 404 ? changeBody(() => '<html>')(response) : response;
    });
    const { error, exitCode } = await runContract(createTestCli(), env);
    expect(error.message).toBe(
      'the service violates 6 rules of the API spec: JSON bodies, status filter, pets, error bodies, invalid API key, rate-limit headers',
    );
    expect(exitCode).toBe(1);
  });
});

function usedUpHeaders() {
  const reset = String(Math.ceil(Date.now() / 1000) + 30);
  return { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset };
}

test('doctor --contract warns about an early end if a rule is violated too', async () => {
  const limited = { status: 429, headers: { 'retry-after': '60' } };
  const body = '{"code":"rate_limited","message":"slow down","status":429}';
  const { env } = await startCannedServer({ body: '[]' }, { ...limited, body });
  const cli = createTestCli();
  const { stderr, exitCode } = await cli.run(['doctor', '--contract', '--yes'], { env });
  expect(stderr).toMatch(/^! some rules were not checked: slow down \(HTTP 429\)$/m);
  expect(stderr).toContain('the service violates 1 rule of the API spec: rate-limit headers');
  expect(exitCode).toBe(1);
});

test('doctor --contract checks the body of a 429', async () => {
  const headers = { 'retry-after': '30', ...usedUpHeaders() };
  const { env } = await startCannedServer({ status: 429, headers, body: '{"code":"slow"}' });
  const { error, of } = await runContract(createTestCli(), env);
  expect(error).toMatchObject({ code: 'contract_broken' });
  expect(of('error bodies')).toMatchObject({
    status: 'failed',
    detail: 'the 429 response to GET /v1/pets lacks message',
  });
});

test('doctor --contract prints a line for each rule and the section of each finding', async () => {
  const { env } = await startTamperingServer((response, line) => {
    const other = line.endsWith('limit=2') ? editBody(response, (text) => text.replace('available', 'sold')) : response;
    return removeHeader(other, 'link');
  });
  const cli = createTestCli({ columns: 60 });
  const { stdout } = await cli.run(['doctor', '--contract', '--yes', '--no-color'], { env });
  expect(stdout).toContain('✓ list\n✓ limit\n');
  expect(stdout).toContain(
    [
      '✗ status filter        GET /v1/pets?status=available&limit=2',
      '    returns a pet with the status sold',
      '    openapi.yaml#/paths/~1pets/get/parameters/1',
      '! paging               no link to a next page',
      '    openapi.yaml#/components/headers/Link\n',
    ].join('\n'),
  );
  expect(stdout).toContain('- exact numbers        skipped: found no number above');
});

test('doctor --contract stops if it is unknown whether the pet was added', async () => {
  const { env, requestLines: lines } = await startTamperingServer((response, line) =>
    line.startsWith('POST') ? { ...response, status: 502 } : response,
  );
  const { error, of } = await runContract(createTestCli(), env, '--write');
  expect(lines.at(-1)).toBe('POST /v1/pets');
  expect(error).toMatchObject({ exitCode: 9, status: 502 });
  expect(of('create')).toMatchObject({ status: 'failed' });
  expect(of('get')).toMatchObject({ status: 'skipped' });
});

describe('doctor --contract sends no more than needed', () => {
  test.each([
    ['the key is rejected', { status: 401, body: '{"code":"c","message":"no","status":401}' }, 3],
    ['the response is not JSON', { body: '<html>' }, 7],
    [
      'the service is rate limited',
      {
        status: 429,
        headers: { 'retry-after': '30', ...usedUpHeaders() },
        body: '{"code":"rate_limited","message":"slow down","status":429}',
      },
      6,
    ],
  ])('stops after one request if %s', async (_, answer, exitCode) => {
    const { env, requests } = await startCannedServer(answer);
    const run = await runContract(createTestCli(), env);
    expect(requests).toHaveLength(1);
    expect(run.exitCode).toBe(exitCode);
  });

  test('sends nothing without confirmation', async () => {
    const { env, requests } = await startCannedServer({});
    for (const flags of [[], ['--json'], ['--write']]) {
      const run = await createTestCli().run(['doctor', '--contract', ...flags], { env });
      expect({ stdout: run.stdout, exitCode: run.exitCode }).toEqual({ stdout: '', exitCode: 2 });
      expect(run.stderr).toContain('sending up to ten requests needs confirmation');
    }
    expect(requests).toEqual([]);
  });

  test.each([
    [['doctor', '--write'], {}, '--write requires --contract', 2],
    [
      ['doctor', '--contract', '--curl', '--yes'],
      { PETSTORE_BASE_URL: 'http://127.0.0.1:1/v1' },
      '--curl cannot show the requests of --contract',
      2,
    ],
    [['doctor', '--contract', '--yes', '-p', 'staging'], {}, 'profile staging has no base URL', 2],
    [
      ['doctor', '--contract', '--yes'],
      { PETSTORE_BASE_URL: 'http://127.0.0.1:1/v1', PETSTORE_API_KEY: 'pets_0123456789' },
      'refused the connection',
      8,
    ],
  ])('prints nothing for %j', async (args, env, message, exitCode) => {
    const run = await createTestCli().run(args, { env });
    expect({ stdout: run.stdout, exitCode: run.exitCode }).toEqual({ stdout: '', exitCode });
    expect(run.stderr).toContain(message);
  });
});
