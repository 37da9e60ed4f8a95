import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { receiveRequest } from '../../src/server/receive-request.js';
import { parseTrustedProxies } from '../../src/server/trusted-proxies.js';
import { sendRaw } from '../support/raw-client.js';
import { checkTestHost, startTestListener } from '../support/test-listener.js';
import { testKey } from '../support/test-store.js';

describe('a request from a web page that a proxy serves over TLS', () => {
  test.each([
    ['is accepted from a trusted proxy', '127.0.0.1', 'X-Forwarded-Proto: https', 201],
    ['is rejected from another peer', '10.0.0.0/8', 'X-Forwarded-Proto: https', 403],
    ['is rejected if the proxy received it without TLS', '127.0.0.1', 'X-Forwarded-Proto: http', 403],
    ['is rejected if the proxy does not name the scheme', '127.0.0.1', 'X-Other: https', 403],
  ])('%s', async (_, network, header, expected) => {
    const trustedProxies = parseTrustedProxies([network]);
    const { port } = await startTestListener(checkTestHost, { trustedProxies });
    const body = '{"name":"Rex","categoryId":1}';
    const lines = [
      'POST /v1/pets HTTP/1.1',
      'Host: 127.0.0.1',
      'Origin: https://127.0.0.1',
      header,
      `Authorization: Bearer ${testKey}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Connection: close',
    ];
    const responses = await sendRaw(port, [`${lines.join('\r\n')}\r\n\r\n${body}`]);
    expect(responses.map(({ status }) => status)).toEqual([expected]);
  });
});

describe('the headers of a request', () => {
  test('have lowercase names, and a list of values for a repeated name', () => {
    expect(receiveHeaders(['Host', 'a', 'X', '1', 'x', '2', 'X', '3'])).toEqual({ host: 'a', x: ['1', '2', '3'] });
  });

  test('with 100,000 repetitions of a name are read in linear time', () => {
    const repeated = Array.from({ length: 200_000 }, () => 'x');
    expect(receiveHeaders(repeated).x).toHaveLength(100_000);
  });
});

/** Returns the headers that a handler gets for the headers of node:http. */
function receiveHeaders(rawHeaders: readonly string[]) {
  const incoming = { rawHeaders, headers: {}, socket: {} } as unknown as IncomingMessage;
  return receiveRequest(incoming, {} as ServerResponse, { id: '1', address: '', setKey: () => {}, end: () => {} })
    .headers;
}
