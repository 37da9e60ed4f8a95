import { expect, test } from 'vitest';
import { getExitCode } from '../../src/cli/exit-codes.js';
import { formatFailure, formatFailureJson, toFailure } from '../../src/cli/format-failure.js';
import { Failure, type FailureKind } from '../../src/failure.js';
import { createStyle } from '../../src/terminal/output.js';

const style = await createStyle({ mode: 'never', isTerminal: false, env: {} });

test.each<[FailureKind, number]>([
  ['system', 1],
  ['usage', 2],
  ['auth', 3],
  ['not-found', 4],
  ['rejected', 5],
  ['rate-limited', 6],
  ['service', 7],
  ['network', 8],
  ['unknown-outcome', 9],
  ['partial', 10],
  ['canceled', 130],
])('a failure of kind %s exits with %d', (kind, code) => {
  expect(getExitCode(new Failure(kind, { code: 'internal_error', message: 'x' }))).toBe(code);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s exits with %d', (signal, code) => {
  expect(getExitCode(new Failure('canceled', { code: 'internal_error', message: 'x', signal }))).toBe(code);
});

test('a failure prints message, retry time and hint', () => {
  const failure = new Failure('rate-limited', {
    code: 'rate_limited',
    message: 'too many\u001b[2J',
    hint: 'wait\u009b',
    retryAt: 61_000,
  });
  expect(formatFailure(failure, { style, now: 0 })).toMatch(
    /^error: too many\\u001b\[2J\n {2}retry in 1m 1s, at \d\d:01:01\n {2}hint: wait\\u009b\n$/,
  );
});

test('an outcome ends the message', () => {
  const details = { code: 'cancelled', message: 'canceled', outcome: 'nothing was sent' } as const;
  const format = (kind: FailureKind) => formatFailure(new Failure(kind, details), { style, now: 0 });
  expect(format('canceled')).toBe('Canceled. Nothing was sent.\n');
  expect(format('network')).toBe('error: canceled; nothing was sent\n');
  expect(formatFailureJson(new Failure('network', details), { argv: [], targetFlags: [] })).toContain(
    '"message":"canceled; nothing was sent"',
  );
});

test('an outcome follows a message that is cut', () => {
  const details = { code: 'internal_error', message: 'x'.repeat(600), outcome: 'nothing was sent' } as const;
  const failure = new Failure('service', details);
  const message = `${'x'.repeat(499)}…; nothing was sent`;
  expect(formatFailure(failure, { style, now: 0 })).toBe(`error: ${message}\n`);
  expect(JSON.parse(formatFailureJson(failure, { argv: [], targetFlags: [] })).error.message).toBe(message);
});

test('a retry time after midnight has a date', () => {
  const now = new Date(2026, 10, 21, 23, 30).getTime();
  const format = (minutes: number) =>
    formatFailure(
      new Failure('rate-limited', { code: 'internal_error', message: 'x', retryAt: now + minutes * 60_000 }),
      { style, now },
    );
  expect(format(29)).toContain('in 29m, at 23:59:00\n');
  expect(format(30)).toContain('in 30m, at 2026-11-22 00:00:00\n');
});

test('a failure in JSON is one line without undefined members', () => {
  const failure = new Failure('rate-limited', {
    code: 'rate_limited',
    message: 'x'.repeat(600),
    status: 429,
    retryAt: 0,
  });
  const line = formatFailureJson(failure, { argv: ['pets', 'list', '--json'], targetFlags: [] });
  expect(line.split('\n')).toHaveLength(2);
  expect(JSON.parse(line)).toEqual({
    error: {
      code: 'rate_limited',
      message: `${'x'.repeat(499)}…`,
      status: 429,
      exitCode: 6,
      retryAt: '1970-01-01T00:00:00.000Z',
      next: ['petstore pets list --json'],
    },
  });
});

test.each([[new TypeError('x is not a function')], ['text'], [undefined]])(
  'an unexpected error (%s) exits with 1',
  (thrown) => {
    const failure = toFailure(thrown);
    expect(getExitCode(failure)).toBe(1);
    expect(failure.details.hint).toContain('--verbose');
  },
);
