import { once } from 'node:events';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { expect, onTestFinished } from 'vitest';

/** A response that was read from a socket. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Connects to a local port until the test ends. */
export async function openSocket(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Sends raw chunks and returns all responses until the server closes the connection. */
export async function sendRaw(
  port: number,
  pieces: readonly string[],
  { halfClose = false } = {},
): Promise<readonly RawResponse[]> {
  const socket = await openSocket(port);
  for (const piece of pieces) socket.write(piece, 'latin1');
  if (halfClose) socket.end();
  return readToEnd(socket);
}

/** Returns all responses that arrive until the server closes the connection. */
export async function readToEnd(socket: Socket): Promise<readonly RawResponse[]> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => void chunks.push(chunk));
  await new Promise<void>((resolve) => {
    socket.once('end', resolve).once('close', () => resolve());
  });
  socket.destroy();
  return parseResponses(Buffer.concat(chunks).toString('latin1'));
}

/** Parses consecutive responses. A response to HEAD must be the last. */
function parseResponses(text: string): readonly RawResponse[] {
  if (text === '') return [];
  const [head = ''] = text.split('\r\n\r\n', 1);
  const [first = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(':')[0]?.toLowerCase(), line.replace(/^[^:]*: */, '')]),
  );
  const start = head.length + 4;
  const end = start + Number(headers['content-length'] ?? 0);
  const status = Number(/^HTTP\/1\.1 ([0-9]{3}) /.exec(first)?.[1]);
  return [{ status, headers, body: text.slice(start, end) }, ...parseResponses(text.slice(end))];
}

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

/** Returns whether a connection to a port or socket succeeds. */
export function isListening(address: NetConnectOpts): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
