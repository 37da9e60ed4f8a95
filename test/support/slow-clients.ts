import { performance } from 'node:perf_hooks';
import { expect } from 'vitest';
import { openSocket, type RawResponse, readToEnd } from './raw-client.js';

/** Clients that send a part of a request, then the last value again and again, and the timeout of the server in seconds. */
function slowClients(apiKey: string) {
  const head = headOfCreate(apiKey);
  return [
    ['stops in its request line', 10, 'GET /v1', ''],
    ['speaks HTTP/0.9', 10, 'GET /v1/pets\r\n', ''],
    ['stops in its headers', 10, head, ''],
    ['sends headers without end', 10, head, 'X: a\r\n'],
    ['stops in its body', 15, `${head}Content-Length: 29\r\n\r\n{`, ''],
    ['sends its body byte by byte', 15, `${head}Content-Length: 1000\r\n\r\n`, ' '],
    ['sends chunks byte by byte', 15, `${head}Transfer-Encoding: chunked\r\n\r\n`, '1\r\na\r\n'],
  ] as const;
}

/** Returns the start of a request that adds a pet. */
export function headOfCreate(apiKey: string): string {
  return `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer ${apiKey}\r\n`;
}

/** Checks that every slow client gets 408 once its timeout has passed. */
export async function checkSlowClients(port: number, apiKey: string): Promise<void> {
  const begin = performance.now();
  const outcomes = slowClients(apiKey).map(async ([what, seconds, start, more]) => {
    const answers = await sendSlowly(port, start, more);
    return { what, answers, lateMs: performance.now() - begin - seconds * 1_000 };
  });
  for (const { what, answers, lateMs } of await Promise.all(outcomes)) {
    expect(answers, what).toMatchObject([{ status: 408, headers: { connection: 'close' } }]);
    expect(JSON.parse(answers[0]?.body ?? '')).toMatchObject({ code: 'invalid_request', status: 408 });
    expect(lateMs, what).toBeGreaterThan(-100);
    // The server checks for timeouts once a second. A busy machine needs longer.
    expect(lateMs, what).toBeLessThan(30_000);
  }
}

/** Sends `start`, then `more` again and again until the server closes the connection. */
export async function sendSlowly(port: number, start: string, more: string): Promise<readonly RawResponse[]> {
  const socket = await openSocket(port);
  const answers = readToEnd(socket);
  socket.write(start);
  const dripping = setInterval(() => socket.write(more), 300);
  try {
    return await answers;
  } finally {
    clearInterval(dripping);
  }
}
