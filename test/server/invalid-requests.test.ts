import { describe, expect, onTestFinished, test } from 'vitest';
import { fakeClock } from '../support/clock.js';
import { openSocket, readToEnd, sendRaw } from '../support/raw-client.js';
import { checkTestHost, startTestListener, testKey } from '../support/test-server.js';

const host = 'Host: 127.0.0.1';
const authorization = `Authorization: Bearer ${testKey}`;
const good = [host, authorization, 'Connection: close'];
const json = [...good, 'Content-Type: application/json'];
const pet = '{"name":"Rex","categoryId":1}';
const one = '/v1/pets?limit=1';
const length = 'Content-Length: 29';
const chunked = 'Transfer-Encoding: chunked';

describe('an invalid HTTP request', () => {
  test.each([
    ['garbage', 'hello there\r\n\r\n'],
    ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['an unknown method', head(`BREW ${one}`, good)],
    ['NUL in a header', head(`GET ${one}`, [...good, 'X: a\0b'])],
    ['a space before a colon', head(`GET ${one}`, [...good, 'X : b'])],
    ['a folded header', head(`GET ${one}`, [host, 'X: a', ' b', ...good])],
    ['lines that end in LF alone', head(`GET ${one}`, good).replaceAll('\r', '')],
    ['a header line that ends in CR alone', head(`GET ${one}`, ['X: a\rY: b', ...good])],
    ['two equal lengths', post([length, length], pet)],
    ['two lengths', post([length, 'Content-Length: 5'], pet)],
    ['a length and chunks', post([length, chunked], '0\r\n\r\n')],
    ['a negative length', post(['Content-Length: -1'], pet)],
    ['a chunk without a length', post([chunked], `zz\r\n${pet}\r\n0\r\n\r\n`)],
    ['a chunk longer than its size', post([chunked], `1\r\n${pet}\r\n0\r\n\r\n`)],
    ['a chunk with an endless extension', post([chunked], `1;${'a'.repeat(20_000)}`)],
  ])('(%s) gets 400 and a closed connection', async (_, bytes) => {
    await check([bytes], 400, 'invalid_request');
  });

  test.each([
    ['a header', head('GET /v1/pets', [...good, `X: ${'a'.repeat(17_000)}`])],
    ['headers of ten megabytes', 'GET / HTTP/1.1\r\n'.padEnd(10_000_000, `X: ${'a'.repeat(90)}\r\n`)],
    ['201 headers', head('GET /v1/pets', [...good, ...Array(198).fill('X: a')])],
    ['5,000 short headers', head('GET /v1/pets', [...good, ...Array(4_997).fill('X:')])],
  ])('with too large headers (%s) gets 431', async (_, bytes) => {
    await check([bytes], 431, 'invalid_request');
  });

  test('with 200 headers is accepted', async () => {
    const { port } = await startTestListener(checkTestHost);
    const bytes = head(`GET ${one}`, [...good, ...Array(197).fill('X: a')]);
    expect(await sendRaw(port, [bytes])).toMatchObject([{ status: 200 }]);
  });
});

describe('a request with a transfer coding', () => {
  const chunks = `1d\r\n${pet}\r\n0\r\n\r\n`;

  test.each([
    ['chunked', [chunked]],
    ['chunked between spaces', ['Transfer-Encoding:  \t chunked  ']],
  ])('(%s) is accepted', async (_, headers) => {
    const { port } = await startTestListener(checkTestHost);
    expect(await sendRaw(port, [post(headers, chunks)])).toMatchObject([{ status: 201 }]);
  });

  test.each([
    ['gzip before chunked', ['Transfer-Encoding: gzip, chunked'], 501],
    ['gzip in uppercase', ['transfer-encoding:GZIP,CHUNKED'], 501],
    ['gzip on another line', ['Transfer-Encoding: gzip', chunked], 501],
    ['an empty coding', ['Transfer-Encoding: , chunked'], 501],
    ['an empty line after', [chunked, 'Transfer-Encoding:'], 501],
    ['only an empty line', ['Transfer-Encoding:'], 501],
    ['a large unread body', ['Transfer-Encoding: gzip, chunked', `X: ${'a'.repeat(9_000)}`], 501],
    ['gzip alone', ['Transfer-Encoding: gzip'], 501],
    ['a coding that ends in chunked', ['Transfer-Encoding: xchunked'], 501],
    ['a parameter', ['Transfer-Encoding: chunked;a=b'], 501],
    ['a vertical tab', ['Transfer-Encoding: \x0bchunked'], 400],
    ['chunked twice', ['Transfer-Encoding: chunked, chunked'], 400],
    ['gzip on a later line', [chunked, 'Transfer-Encoding: gzip'], 400],
    ['a length after gzip', ['Transfer-Encoding: gzip, chunked', length], 400],
    ['a length before gzip', [length, 'Transfer-Encoding: gzip, chunked'], 400],
  ])('other than chunked (%s) is rejected and closes the connection', async (_, headers, status) => {
    await check([post(headers, chunks)], status, 'invalid_request');
  });

  test.each(['chunked', 'gzip'])('(%s) in HTTP/1.0 gets 501 and a closed connection', async (coding) => {
    const headers = [...json, 'Connection: keep-alive', `Transfer-Encoding: ${coding}`];
    await check([head('POST /v1/pets HTTP/1.0', headers) + chunks], 501, 'invalid_request');
  });

  test.each(['gzip, chunked', 'gzip', ''])('(%j) hides the requests after it and counts nothing', async (coding) => {
    const { port, store } = await startTestListener(checkTestHost);
    const kept = [host, authorization, 'Content-Type: application/json', `Transfer-Encoding: ${coding}`];
    const bytes = head('POST /v1/pets', kept) + chunks + head(`GET ${one}`, good);
    const answers = await sendRaw(port, [bytes]);
    expect(answers.map(({ status }) => status)).toEqual([501]);
    const { headers } = await store.request('GET', '/v1/pets');
    expect(headers['x-ratelimit-remaining']).toBe('9999');
  });
});

describe('an HTTP request that clients rarely send', () => {
  test.each([
    ['a whole URL (RFC 9112 §3.2.2)', head(`GET http://127.0.0.1:4010${one}`, good)],
    ['HTTP/1.0 without Host', head(`GET ${one} HTTP/1.0`, [authorization])],
    ['its own Origin', head(`GET ${one}`, ['Origin: http://127.0.0.1:80', ...good])],
  ])('gets 200: %s', async (_, bytes) => {
    const { port } = await startTestListener(checkTestHost);
    expect(await sendRaw(port, [bytes])).toMatchObject([{ status: 200, headers: { 'x-ratelimit-limit': '10000' } }]);
  });
});

describe('an HTTP request that the API does not support', () => {
  test.each([
    [400, 'invalid_request', 'no Host', head(`GET ${one}`, good.slice(1))],
    [400, 'invalid_request', 'two Hosts', head(`GET ${one}`, [host, ...good])],
    [403, 'forbidden', 'a foreign Host', head(`GET ${one}`, ['Host: example.com', ...good.slice(1)])],
    [405, 'method_not_allowed', 'OPTIONS', head('OPTIONS /v1/pets', good)],
    [415, 'unsupported_media_type', 'two types', post([length, 'Content-Type: a/b'], pet)],
    [415, 'unsupported_media_type', 'compression', post([length, 'Content-Encoding: gzip'], pet)],
  ])('gets %i (%s): %s', async (status, code, _, bytes) => {
    await check([bytes], status, code);
  });

  test.each([
    ['a declared body of a gigabyte', 'Content-Length: 1000000000', ' '.repeat(50_000)],
    ['chunks that never end', chunked, `c350\r\n${' '.repeat(50_000)}\r\n`],
  ])('gets 413 before its end: %s', async (_, header, piece) => {
    const { port } = await startTestListener(checkTestHost);
    const socket = await openSocket(port);
    const answers = readToEnd(socket);
    socket.write(post([header], ''));
    const sending = setInterval(() => socket.write(piece), 1);
    onTestFinished(() => clearInterval(sending));
    expect(await answers).toMatchObject([{ status: 413, headers: { connection: 'close' } }]);
    await checkAlive(port);
  });

  test('is closed if it is a CONNECT', async () => {
    const { port } = await startTestListener(checkTestHost);
    expect(await sendRaw(port, [head('CONNECT example.com:443', good)])).toMatchObject([
      { status: 405, headers: { allow: 'GET, HEAD, POST', connection: 'close' } },
    ]);
    await checkAlive(port);
  });

  test('is handled without an upgrade', async () => {
    const { port } = await startTestListener(checkTestHost);
    const upgrade = ['Connection: Upgrade, close', 'Upgrade: websocket'];
    const bytes = head(`GET ${one}`, [host, authorization, ...upgrade]);
    expect(await sendRaw(port, [bytes])).toMatchObject([{ status: 200 }]);
  });
});

describe('a connection', () => {
  test('gets responses to pipelined requests in order', async () => {
    const { port } = await startTestListener(checkTestHost);
    const kept = [host, authorization];
    const answers = await sendRaw(port, [
      head('GET /v1/pets/2', kept) + head('GET /v1/unknown', kept) + head('POST /v1/pets', kept),
      head('HEAD /v1/pets/2', good),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 415, 200]);
  });

  test('that the client half-closed gets its response', async () => {
    const { port } = await startTestListener(checkTestHost);
    const bytes = head(`GET ${one}`, [host, authorization]);
    expect(await sendRaw(port, [bytes], { halfClose: true })).toMatchObject([{ status: 200 }]);
  });

  test.each([
    ['headers', `GET ${one} HTTP/1.1\r\n${host}\r\n`],
    ['a body', post([length], '{')],
  ])('that is half-closed within %s gets 400', async (_, bytes) => {
    await check([bytes], 400, 'invalid_request', { halfClose: true });
  });

  test('that is closed without a request gets no response', async () => {
    const { port, entries } = await startTestListener(checkTestHost);
    expect(await sendRaw(port, [], { halfClose: true })).toEqual([]);
    expect(entries).toEqual([]);
  });

  test('is closed after the responses to the requests before garbage', async () => {
    const { port } = await startTestListener(checkTestHost);
    const bytes = head(`GET ${one}`, [host, authorization]);
    const answers = await sendRaw(port, [`${bytes}${bytes}hello there\r\n\r\n`]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400]);
    await checkAlive(port);
  });

  test('is closed after the response to the request before an invalid body', async () => {
    const { port } = await startTestListener(checkTestHost);
    const bytes = head(`GET ${one}`, [host, authorization]) + post([chunked], 'zz\r\n');
    expect(await sendRaw(port, [bytes])).toMatchObject([{ status: 200 }, { status: 400 }]);
    await checkAlive(port);
  });

  test('gets no 100 Continue over HTTP/1.0', async () => {
    const { port } = await startTestListener(checkTestHost);
    const bytes = post(['Expect: 100-continue', length], pet).replace('HTTP/1.1', 'HTTP/1.0');
    expect((await sendRaw(port, [bytes])).map(({ status }) => status)).toEqual([201]);
  });

  test('gets 100 Continue on request', async () => {
    const { port } = await startTestListener(checkTestHost);
    const socket = await openSocket(port);
    const answers = readToEnd(socket);
    socket.write(post(['Expect: 100-continue', length], ''));
    socket.once('data', () => socket.write(pet));
    expect((await answers).map(({ status }) => status)).toEqual([100, 201]);
  });
});

function head(line: string, headers: readonly string[]): string {
  return `${/HTTP/.test(line) ? line : `${line} HTTP/1.1`}\r\n${headers.join('\r\n')}\r\n\r\n`;
}

function post(headers: readonly string[], body: string): string {
  return head('POST /v1/pets', [...json, ...headers]) + body;
}

async function check(
  pieces: readonly string[],
  status: number,
  code: string,
  options?: { halfClose: boolean },
): Promise<void> {
  const { port, entries } = await startTestListener(checkTestHost);
  const answers = await sendRaw(port, pieces, options);
  expect(answers).toHaveLength(1);
  const [answer] = answers;
  expect(answer?.status).toBe(status);
  expect(JSON.parse(answer?.body ?? '')).toEqual({ code, message: expect.any(String), status });
  expect(answer?.headers).toMatchObject({
    'content-type': 'application/json',
    date: new Date(fakeClock().now()).toUTCString(),
    connection: 'close',
  });
  // Only requests whose API key was read are counted.
  const limits = Object.keys(answer?.headers ?? {}).filter((name) => name.startsWith('x-ratelimit-'));
  expect(limits).toHaveLength(entries[0]?.key === undefined ? 0 : 3);
  expect(entries).toMatchObject([{ status, requestId: answer?.headers['x-request-id'], address: '127.0.0.1' }]);
  await checkAlive(port);
}

async function checkAlive(port: number): Promise<void> {
  expect(await sendRaw(port, [head(`GET ${one}`, good)])).toMatchObject([{ status: 200 }]);
}
