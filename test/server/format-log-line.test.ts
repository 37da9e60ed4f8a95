import { describe, expect, test } from 'vitest';
import { formatLogLine, type LogEntry, type RequestLogEntry } from '../../src/server/format-log-line.js';

const apiKey = `pets_${'0a'.repeat(25)}`;
const request: RequestLogEntry = {
  time: Date.parse('2026-11-23T08:09:10.007Z'),
  method: 'GET',
  path: '/v1/pets',
  status: 200,
  durationMs: 3,
  requestId: 'a1',
  key: 'pets_0a0a',
  address: '192.0.2.1',
  operation: 'listPets',
  errorCode: undefined,
};

describe('a line of text', () => {
  test.each([
    [{}, '2026-11-23T08:09:10.007Z GET /v1/pets 200 3 ms a1 pets_0a0a'],
    [{ key: undefined }, '2026-11-23T08:09:10.007Z GET /v1/pets 200 3 ms a1 192.0.2.1'],
    [{ key: undefined, address: '' }, '2026-11-23T08:09:10.007Z GET /v1/pets 200 3 ms a1 -'],
    [{ status: 'reset' as const }, '2026-11-23T08:09:10.007Z GET /v1/pets reset 3 ms a1 pets_0a0a'],
    [{ method: '', status: 400 }, '2026-11-23T08:09:10.007Z - - 400 3 ms a1 pets_0a0a'],
    [{ path: '/\x1b[2J\x9b' }, '2026-11-23T08:09:10.007Z GET /\\u001b[2J\\u009b 200 3 ms a1 pets_0a0a'],
    [
      { method: 'G\x1b', requestId: 'a\x9b', key: undefined, address: '::1%\n' },
      '2026-11-23T08:09:10.007Z G\\u001b /v1/pets 200 3 ms a\\u009b ::1%\\u000a',
    ],
  ])('describes a request with %j', (fields, expected) => {
    expect(formatText({ ...request, ...fields })).toBe(expected);
  });

  test.each([
    [{}, '2026-11-23T08:09:10.007Z error: disk full\\u001b\nat x'],
    [{ requestId: 'a1' }, '2026-11-23T08:09:10.007Z error: disk full\\u001b\nat x (request a1)'],
  ])('contains an error with %j', (fields, expected) => {
    expect(formatText({ time: request.time, level: 'error', message: 'disk full\x1b\nat x', ...fields })).toBe(
      expected,
    );
  });
});

describe('a line of JSON', () => {
  test('has the documented fields in their order', () => {
    expect(formatJson(request)).toBe(
      '{"time":"2026-11-23T08:09:10.007Z","level":"info","method":"GET","path":"/v1/pets","status":200,' +
        '"durationMs":3,"requestId":"a1","key":"pets_0a0a","address":"192.0.2.1"}',
    );
  });

  test.each([
    [{ status: 499 }, { level: 'info', status: 499 }],
    [{ status: 500 }, { level: 'error', status: 500 }],
    [{ status: 'aborted' as const }, { level: 'info', status: null }],
    [{ method: '' }, { method: null, path: null }],
    [{ key: undefined }, { key: null, address: '192.0.2.1' }],
  ])('represents %j', (fields, expected) => {
    expect(JSON.parse(formatJson({ ...request, ...fields }))).toMatchObject(expected);
  });

  test('escapes control characters without loss', () => {
    const path = '/"\\\x1b\x7f\x9b\u2028\u202e';
    const line = formatJson({ ...request, path });
    expect(line).toMatch(/^[\x20-\x7e]*$/);
    expect(JSON.parse(line)).toMatchObject({ path });
  });

  test('is one line for a message of several', () => {
    const line = formatJson({ time: request.time, level: 'warning', message: 'a\nb', requestId: 'a1' });
    expect(line).toBe('{"time":"2026-11-23T08:09:10.007Z","level":"warning","message":"a\\nb","requestId":"a1"}');
  });
});

describe.each(['text', 'json'] as const)('a line of %s hides an API key', (format) => {
  test.each([
    ['in the path', { path: `/v1/${apiKey}` }],
    ['in capitals', { path: `/v1/${apiKey.toUpperCase()}` }],
    ['in the id of the request', { requestId: `x-${apiKey}` }],
  ])('%s', (_, fields) => {
    const line = formatLogLine({ ...request, ...fields }, { format, redact: (text) => text });
    expect(line).toContain('[redacted]');
    expect(line.toLowerCase()).not.toContain('0a0a0a');
  });

  test.each([
    ['the path', { path: '/known' }],
    ['the id of the request', { requestId: 'known' }],
    ['a message', { message: 'known', level: 'error' }],
    ['the cause of a message', { message: 'x', level: 'error', requestId: 'known' }],
  ])('that this process knows, in %s', (_, fields) => {
    const redact = (text: string) => text.replace('known', '[redacted]');
    const line = formatLogLine({ ...request, ...fields } as LogEntry, { format, redact });
    expect(line).toContain('[redacted]');
    expect(line).not.toContain('known');
  });

  test('but no ordinary path', () => {
    for (const path of [
      '/v1/pets_of_the_whole_world/%f0%9f%90%b1',
      '/v1/pets/9223372036854775807',
      '/docs/swagger-ui-bundle.js',
    ]) {
      expect(formatLogLine({ ...request, path }, { format, redact: (text) => text })).toContain(path);
    }
  });
});

function formatText(entry: LogEntry): string {
  return formatLogLine(entry, { format: 'text', redact: (text) => text });
}

function formatJson(entry: LogEntry): string {
  return formatLogLine(entry, { format: 'json', redact: (text) => text });
}
