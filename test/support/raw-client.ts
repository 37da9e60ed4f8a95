import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

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
